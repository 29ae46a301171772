/*
 * The guard of a script's pool: makes a directory, where the script writes into the FIFO requests
 * and reads answers, and starts the jobpool that has their other ends. If the workers are
 * functions, the script has started a shell that forks them, as the FIFO orders says (workers.h).
 * If jobpool is killed, that shell ends them, and then itself.
 */
struct staffing;

/* Runs jobpool with these arguments, and "--attended". The exit status. */
int script_guard(int argc, char **argv, const struct staffing *options);
