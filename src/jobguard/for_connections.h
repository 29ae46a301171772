/* The words: connections DIRECTORY GRACE COUNT, and the arguments of jobctl_connections. The
   status. */
int for_connections(int argc, char **argv);
