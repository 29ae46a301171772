/*
 * The claim of one dispenser on its path P: the inlet FIFO P, the directory P.d, and in it the lock
 * and the directory of those who wait. Nothing here blocks. Where mode lets a group or everybody
 * write into the inlet, they may also make files in that last directory, and open by their names
 * what is in both: names.h. A claim that fails changes nothing. A directory that holds something
 * else stays, with a message.
 */
struct claim {
	const char *path; /* P; the caller's */
	char *directory;  /* "P.d", allocated */
	int mode;         /* of the inlet */
	int dir;          /* P.d, open for the ...at() calls */
	int lock;         /* P.d/lock, with a write lock while we live */
	int inlet;        /* P, read end, non-blocking */
	int keep;         /* P, our own write end: the inlet never sees EOF */
	int found;        /* P.d was there before */
	int stale;        /* and the lock: its former owner died */
	int fresh;        /* P was not there before */
	int made;         /* P is ours to remove */
	int anothers;     /* refused, for another dispenser lives there */
};

/* Makes it, takes over a dead one's, or refuses: STATUS_DONE, or another after a message. */
int claim_take(struct claim *claim, const char *path, int mode);
/* 0 when one of these is not there any more, or is another's; 1 else, or where nobody can tell. */
int claim_stands(const struct claim *claim);
/* After that: takes the path anew, and what else is missing. 0; or -1 after a message: it has no
   inlet then, and a lock only if that was still in its place. */
int claim_again(struct claim *claim);
/* Removes inlet, lock and directory, as far as we made them, and closes all. */
void claim_release(struct claim *claim);
/* As if claim_take() had failed: removes what that has made, closes all. */
void claim_undo(struct claim *claim);
/* Closes all, and leaves what is there to the next dispenser. */
void claim_abandon(struct claim *claim);
