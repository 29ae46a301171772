/* The file in which the shell says what it wants: attendant.h. It is replaced when it is long. */
#include "../lib/feed.h"

struct calls {
	int dir;            /* the caller's */
	struct feed feed;
	size_t read;        /* bytes of this file */
	int next;           /* the file that has the name now, or -1 */
	int astray;         /* what the shell makes anew is read as well */
};

/* Makes the file in that directory, or goes on with what an earlier shell said if that is kept. 0,
   or -1 with errno. */
int calls_open(struct calls *calls, int dir, int kept);
/* Takes each line that is there, without its newline. 0, or -1 with errno. */
int calls_read(struct calls *calls, void (*take)(void *, char *), void *context);
/* 0 when the shell would write into another file, or none; 1 else, and where nobody can tell. */
int calls_stand(const struct calls *calls);
/* From now on a file that the shell has made where ours was taken away is read as well. */
void calls_stray(struct calls *calls);
/* Frees what is kept. */
void calls_close(struct calls *calls);
