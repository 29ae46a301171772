/* A command here, with a token of a dispenser at another machine. */
struct wish;

/* Runs it: its status, or that for no token; STATUS_LOST, after a message, where the connection was
   lost and the command ended for that. */
int loan_run(const struct wish *wish, const char *host, const char *fifo, long beat_ms,
    char **argv);
