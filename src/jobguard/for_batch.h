/* The words: batch PID DIRECTORY KEY GRACE, and the arguments of jobctl_open. The status. */
int for_batch(int argc, char **argv);
