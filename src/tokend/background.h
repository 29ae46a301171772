/*
 * A program that goes into the background once it is ready (-b).
 *
 * background_begin() forks. It returns in the child only, which leads a session
 * of its own and, if not told to keep it, has nothing open above 2, with the
 * descriptor to hand to background_ready(); the parent exits, with 0 once the child is
 * ready, with the child's status should that fail before. Exits with a message when it
 * cannot; should it not hear of the child, that gets a SIGTERM first.
 * background_close_others() closes all above 2 but ours.
 * background_ready() takes the standard descriptors to /dev/null and lets the
 * parent go; it closes the descriptor.
 */
void background_close_others(int ours);
int background_begin(int keep);
void background_ready(int fd);
