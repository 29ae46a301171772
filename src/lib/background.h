/*
 * A program that goes into the background once it is ready: a child goes on, and the parent exits,
 * with 0 once the child is ready, or with the child's status if the child ends before. If the
 * parent cannot hear the child, it sends TERM, which the child blocks until it is ready.
 */

/* Forks; returns in the child, with the descriptor for background_ready(). Exits on an error. */
int background_begin(void);
/* Moves descriptors 0 to last to /dev/null, lets the parent exit, closes fd. 0; -1: it has gone. */
int background_ready(int fd, int last);
/* Moves descriptors 0 to last to /dev/null, if that can be opened. */
void background_leave(int last);
/* Closes all descriptors above 2 but these. */
void background_close_others(const int *ours, int count);
