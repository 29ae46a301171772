/*
 * The guard of a keeper: starts it, and goes into the background when that is ready. If the keeper
 * is killed, ends its connections, frees who waits for one, and starts another one, a little later
 * each time, and also if the new one cannot begin, without memory, say.
 */

/* Runs jobkeep with these arguments, "-s" and how many connections there were before them, for the
   batch in that directory. The exit status if it cannot begin. */
int restart_keeper(int argc, char **argv, const char *directory);
