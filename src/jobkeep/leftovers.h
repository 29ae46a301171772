/* What a keeper of connections that was killed has left to the next one. */
#include <sys/types.h>

/* Kills what is left of its session: all processes but session itself, which is dead and was waited for just now. Safe: a
   session's number is not reused while a member lives. */
void leftovers_end(pid_t session);
/* Takes away the FIFOs N.in and N.out in the directory: a job that waits for an open of one goes on, and finds the end of it.
   Returns the highest N. */
long leftovers_release(int dir);
