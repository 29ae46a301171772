/*
 * A program that goes into the background once it is ready: a child goes on, and the parent exits,
 * with 0 when the child is ready, with the child's status should that fail before. A child that the
 * parent cannot hear is sent TERM, which it has blocked until it is ready.
 */

/* Forks; returns in the child, with what background_ready() is to get. Exits when it cannot. */
int background_begin(void);
/* Takes descriptors 0 to last to /dev/null, lets the parent go, closes fd. -1: there is none. */
int background_ready(int fd, int last);
/* Takes descriptors 0 to last to /dev/null, as far as that can be. */
void background_leave(int last);
/* Closes all above 2 but these. */
void background_close_others(const int *ours, int count);
