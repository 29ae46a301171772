/*
 * Keeps the session of a slot: a child of the first jobat that was there, and the jobs of one
 * jobat after the other. It stays while the one that has the slots does, or, alone, for one job.
 */
#include "../places/session.h"

struct server_terms {
	struct session_terms session;
	const char *place;     /* for messages */
	int listener;          /* where jobats come, or -1 */
	int client;            /* the only one, or -1 */
	int alive, here;       /* den.h; or -1 */
	const char *path;      /* of the listener, to be removed; or NULL */
};

/* To its end. All descriptors are its own. */
void server_run(struct server_terms *terms);
