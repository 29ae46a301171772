/*
 * jobat. A client has a job: its output and its status are the client's. A server keeps the session
 * of a slot: a process of the first jobat that was there, for the jobs of one jobat after the
 * other. It stays while the one that has the slots does, or, alone, for one job.
 */
#include "../places/session.h"
#include "talk.h"

struct client {
	const char *place;
	const char *directory; /* where the job runs */
	const char *fate;     /* where to say what no status can; or NULL: on standard error */
	int server;           /* the socket */
	long long patience;   /* ms until a job whose server was killed has ended */
};

/* Has the job done: its status, or STATUS_GONE, STATUS_LOST. Both texts are for the sh there. */
int client_run(const struct client *client, const char *exports, const char *words);

struct server_terms {
	struct session_terms session;
	int listener;          /* where jobats come, or -1 */
	int client;            /* the only one, or -1 */
	int alive, here;       /* den.h; or -1 */
	const char *path;      /* of the listener, to be removed; or NULL */
};

/* To its end. All descriptors are its own. */
void server_run(struct server_terms *terms);

/* Becomes words with PLACE and sh, over the connection of ssh at that path, which sessions share,
   and which is made where there is none. Returns the status to exit with. */
int login_run(const char *path, char **words);
