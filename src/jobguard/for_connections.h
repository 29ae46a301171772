/* The words: connections DIRECTORY GRACE COUNT, and what jobctl_connections is called with. The
   status. */
int for_connections(int argc, char **argv);
