/* A jobat that has a job, and what becomes of it: its output and its status are ours. */
struct client {
	const char *place;
	const char *directory; /* where the job runs */
	const char *fate;     /* where to say what no status can; or NULL: on standard error */
	int server;           /* the socket */
	long long patience;   /* ms until a job whose server was killed has ended */
};

/* Has the job done: its status, or STATUS_GONE, STATUS_LOST. Both texts are for the sh there. */
int client_run(const struct client *client, const char *exports, const char *words);
