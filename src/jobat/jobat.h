/* jobat: a command at another machine. */
#ifndef JOBAT_H
#define JOBAT_H
#include <stddef.h>

#include "../lib/lib.h"
#include "../places/places.h"

/*
 * talk.c: a client and a server talk in frames, each a letter, its length and as many bytes: on one
 * machine, and they are the same program.
 */

enum talk {
	TALK_DIRECTORY = 'D', /* where it is to run, before a job */
	TALK_EXPORTS = 'E', /* shell text, before a job; none is none */
	TALK_JOB = 'J',     /* its words as shell text */
	TALK_END = 'T',     /* end it */
	TALK_OUTPUT = 'o', TALK_ERROR = 'e',
	TALK_STATUS = 's',  /* its status, as text */
	TALK_NEVER = 'n',   /* it was not begun: why */
	TALK_LOST = 'l'     /* nobody knows how it ended: why */
};

enum { TALK_MOST = 64 * 1024 * 1024 /* bytes of a frame */ };

/* Adds a frame. Exits without memory: that is as if a server were killed, so the job ends, and the
   client waits until it has. */
void talk_add(struct outbox *out, enum talk kind, const char *bytes, size_t length);
/* Takes the first frame: its kind, and until the next call its bytes and a NUL behind them; 0: read
   first; -1: that is none of ours. */
int talk_next(struct outbox *in, const char **bytes, size_t *length);

/*
 * jobat.c: jobat. A client has a job: its output and its status are the client's. A server keeps
 * the session of a slot: a process of the first jobat that was there, for the jobs of one jobat
 * after the other. It stays while the one that has the slots does, or, alone, for one job.
 */

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
	int alive, here;       /* den.c; or -1 */
	const char *path;      /* of the listener, to be removed; or NULL */
};

/* To its end. All descriptors are its own. */
void server_run(struct server_terms *terms);

/* Becomes words with PLACE and sh, over the connection of ssh at that path, which sessions share,
   and which is made where there is none. Returns the status to exit with. */
int login_run(const char *path, char **words);
#endif
