/* The file into which the shell writes: attendant.h. A long one is replaced. */
#include "../lib/feed.h"

struct calls {
	int dir;            /* the caller's */
	struct feed feed;
	size_t read, most;  /* bytes of this file; after how many there is another one */
	int next;           /* the file that has the name now, or -1 */
	int astray;         /* if our file was removed, read the one that the shell makes in its
	                       place; the caller's to set */
};

/* Makes the file in that directory. 0, or -1 with errno. */
int calls_open(struct calls *calls, int dir);
/* Takes each line of the file, without its newline. 0, or -1 with errno. */
int calls_read(struct calls *calls, void (*take)(void *, char *), void *context);
/* 0 if the shell would write into another file, or none; 1 else, or if nobody can tell. */
int calls_stand(const struct calls *calls);
/* Frees all. */
void calls_close(struct calls *calls);
