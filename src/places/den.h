/*
 * A directory for the slots of places: N is the socket of the one who keeps the session of slot N,
 * and N.fate what its last job has come to where a status cannot say it; P.M is a connection of
 * ssh, with P.M.lock and P.M.log; logins has locks. The owner of the slots has the FIFO alive open,
 * and the keeper of a session the FIFO here: so each sees the other's end.
 */
#include <limits.h>

enum { DEN_PATH = 80 /* of the directory: a socket in it has a path of at most 103 bytes */ };

struct den {
	char path[DEN_PATH];
	int alive[2], here; /* our ends, or -1 */
};

/* Makes it, in $TMPDIR or /tmp. 0, or -1 with errno. */
int den_make(struct den *den);
/* Says that all is over, waits at most ms until the sessions have ended, and removes it. */
void den_end(struct den *den, long long ms);
/* Keeps a session there: the caller closes both at its end. 0, or -1 where nobody has the slots. */
int den_enter(const char *path, int *alive, int *here);
/* 1 when whoever has the slots has gone. */
int den_over(int alive);
/* Removes what is left by one that was killed, when no session is there any more. */
void den_sweep(const char *path);
