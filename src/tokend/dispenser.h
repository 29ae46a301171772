/*
 * One running dispenser: its claim of a path, its tokens, and whom it serves, in one loop. The
 * caller fills in what the options say, and the claim.
 */
#include <sys/types.h>

#include "../attended/attended.h"
#include "../clients/clients.h"
#include "../lib/news.h"
#include "claim.h"
#include "labels.h"

enum { DISPENSER_SPARE = 16 }; /* descriptors besides those of the slots */

struct dispenser {
	struct claim claim;
	struct jobs jobs;    /* one of these two */
	struct clients clients;
	struct news news;
	struct board board;  /* of the clients' pool */
	const char *joblog;  /* --joblog: a log of each use of a token, or NULL ... */
	struct joblog log;   /* ... which is open */
	mode_t mask;         /* of the user, for that file */
	short output_events; /* that we wait for at standard output */
	long count;          /* -n */
	struct pace pace;    /* -i, -d */
	struct labels labels; /* -s, -f: of slots 1... */
	int lines;           /* -a: the attendant reads them */
	int recover;         /* -r: only wind up what a dead dispenser left */
	int serving;         /* none of these: clients */
	int background;      /* -b: descriptor that says that we are ready, or -1 */
	int supervised;      /* -k: our parent stays beside us */
	int mode;            /* -m: of the inlet */
	int builds;          /* -j: clients may be builds */
	long idle;           /* -x: ms after which to end when unused, or 0 */
	long long used;      /* when it was last (clock.h) */
	int answers;         /* the attendant answers "stop" with "@end" */
	pid_t watched;       /* the script that the attendant belongs to, or 0 */
	int attends;         /* that is the attendant, and nobody answers when it has died */
	int watch;           /* descriptor that tells of its end, or -1 */
	int asked;           /* the attendant was told to stop */
	int ending;          /* leave when all tokens are home */
	long long look;      /* when to see whether our names are still there (clock.h) */
	int gone;            /* they are not, and so we end */
	int now;             /* leave */
	int warned;          /* of junk */
};

/* Serves until told to end, and releases the claim: an exit status. */
int dispenser_run(struct dispenser *d);
