/* Connections that a killed keeper has left to the next one. */
#include <sys/types.h>

/* Kills its session, but session itself. Safe: the number is not reused while a member lives. */
void leftovers_end(pid_t session);
/* Takes its FIFOs away, freeing who waits in an open of one. Returns the highest number. */
long leftovers_release(int dir);
