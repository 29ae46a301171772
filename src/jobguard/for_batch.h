/* The words: batch PID DIRECTORY KEY GRACE, and what jobctl_open is called with. The status. */
int for_batch(int argc, char **argv);
