/* The words: workers PID DIRECTORY functions|program [OPTION of jobpool...] [COMMAND...]. The
   status. */
int for_workers(int argc, char **argv);
