/*
 * The claim of one dispenser on its path P: the inlet FIFO P, the directory
 * P.d and the lock in it.
 *
 * claim_take() makes what is missing, takes over what a dead dispenser left,
 * and refuses a live one. mode is that of the inlet; where it lets a group or
 * everybody write, they may also make and open files in the directory, but not
 * remove those of others (the sticky bit). path must outlive the claim. Returns STATUS_DONE, or
 * another status after one message; then nothing of it is left behind.
 * claim_release() removes the inlet, the lock and the directory, as far as the
 * dispenser made them, and closes all descriptors. The leases are gone by then
 * (slots.h), the names of clients go with the inlet; a directory that holds something
 * else stays, with a message.
 *
 * Nothing here blocks. All descriptors are closed on exec.
 */
#include <sys/types.h>

struct claim {
	const char *path; /* P */
	char *directory;  /* "P.d", allocated */
	int mode;         /* of the inlet */
	int dir;          /* P.d, open for the ...at() calls */
	int lock;         /* P.d/lock, with a write lock while we live */
	int inlet;        /* P, read end, non-blocking */
	int keep;         /* P, our own write end: the inlet never sees EOF */
	int stale;        /* P.d was there: its former owner died */
	int made;         /* P is ours to remove */
};

int claim_take(struct claim *claim, const char *path, int mode);
void claim_release(struct claim *claim);
