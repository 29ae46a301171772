/* A program that goes into the background once it is ready (-b). */

/* Forks, and returns in the child only, which leads a session of its own and, if not told to keep it, has nothing open
   above 2. The parent exits: with 0 when the child is ready, with the child's status should that fail before; TERM ends a
   child that the parent cannot hear. Returns the descriptor for background_ready(); exits with a message when it cannot. */
int background_begin(int keep);
/* Takes the standard descriptors to /dev/null and lets the parent go; closes fd. */
void background_ready(int fd);
/* Closes all above 2 but that one. */
void background_close_others(int ours);
