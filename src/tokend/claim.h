/*
 * The claim of one dispenser on its path P: the inlet FIFO P, the directory P.d, and the lock in it. Nothing here
 * blocks; all descriptors are closed on exec.
 */
struct claim {
	const char *path; /* P */
	char *directory;  /* "P.d", allocated */
	int mode;         /* of the inlet */
	int dir;          /* P.d, open for the ...at() calls */
	int lock;         /* P.d/lock, with a write lock while we live */
	int inlet;        /* P, read end, non-blocking */
	int keep;         /* P, our own write end: the inlet never sees EOF */
	int stale;        /* the lock was there: its former owner died */
	int made;         /* P is ours to remove */
};

/* Makes what is missing, takes over what a dead dispenser left, and refuses a live one. Where mode lets a group or
   everybody write into the inlet, they may also make and open files in the directory, but not remove those of others.
   path must outlive the claim. STATUS_DONE; or another status after a message, and nothing has changed. */
int claim_take(struct claim *claim, const char *path, int mode);
/* Removes the inlet, the lock and the directory, as far as the dispenser made them, and closes all. The leases are gone
   by then. A directory that holds something else stays, with a message. */
void claim_release(struct claim *claim);
/* Closes all, and leaves what is there to the next dispenser. */
void claim_abandon(struct claim *claim);
