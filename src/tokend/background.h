/*
 * A program that goes into the background once it is ready (-b): a child that leads a session of
 * its own and, if not told to keep it, has nothing open above 2. The parent exits: with 0 when
 * the child is ready, with the child's status should that fail before. A child that the parent
 * cannot hear is sent TERM.
 */

/* Forks; returns in the child, with what background_ready() is to get. Exits when it cannot. */
int background_begin(int keep);
/* Takes the standard descriptors to /dev/null and lets the parent go; closes fd. */
void background_ready(int fd);
/* Closes all above 2 but that one. */
void background_close_others(int ours);
