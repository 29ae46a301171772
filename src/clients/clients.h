/*
 * The clients of a dispenser, who ask for tokens by its inlet: who waits, who
 * holds what, and the requests that change it.
 *
 * A client makes the FIFO w.NAME in the directory, keeps its write end open, and
 * writes "@get NAME COUNT PRIORITY FLAGS". That FIFO carries the answer to it,
 * and from then on it is the lease of the slots given: renamed to the first,
 * linked to the others. Until then nothing of it is open here.
 *
 * Requests, without the '@' and the newline:
 *	get NAME COUNT PRIORITY FLAGS	FLAGS: 'n' now or not at all, 'p' plain: held
 *			until a letter comes, 'l' for a shell: the lease is kept
 *			open for it until it writes '+' there, or for KEEP ms;
 *			'j' a build (builds.h); 's' says nothing when it returns, '-' none
 *	heard SLOT	of 'l', the answer was read: from now on the shell may write
 *	begun NAME SLOT	whoever has that slot starts now, for the first time or again: of
 *			those who were told '+'
 *	size N		so many tokens
 *	add LABEL	one slot more
 *	drop LABEL	that slot less
 *	share NAME	there is to be a jobserver for all (builds.h); the answer is
 *			"ok SIZE PATH", or "no builds" where there are none, "no room"
 *	stat NAME	a report into w.NAME
 * Answers to get: "ok COUNT", "ok COUNT +" where we want to hear of the start, for a build "ok COUNT SIZE PATH", where SIZE is that
 * of the pool, and PATH.jobserver and PATH.returned are its FIFOs; and COUNT lines "SLOT LABEL", or just "SLOT" where
 * the labels are too long for one write; or "no REASON". "no again" says that this
 * dispenser has just taken over, and does not know the request: unless the name is
 * gone, and then the answer follows. "again" instead of an answer: it was lost with
 * a dispenser that was killed, or the dispenser ends.
 *
 * clients_open() adopts the leases that are held still, and makes count tokens,
 * the first of them with the labels; inherited says that another dispenser died here. The news and the directory stay the
 * caller's. Returns 0, or -1 after a message.
 * clients_request() does what a line asks for; -1 when it is none of these.
 * clients_answer() writes the text into the FIFO of a client.
 * clients_event() takes the news of a descriptor; 0 when it is not one of ours.
 * clients_return() takes a plain token back; -1 when none is out.
 * clients_busy() is 1 while a token is out or somebody waits.
 * clients_spare() is how many of so many tokens may be given out now.
 * clients_patience() is how many ms from now clients_tick() has something to do, or
 * -1: so that nothing here is done by the clock but what must.
 * clients_stop() grants nothing any more and tells so everybody who waits.
 * clients_close() takes all names out of the directory that clients left there
 * or still have.
 */
#include <sys/types.h>

#include "builds.h"
#include "limits.h"
#include "pool.h"
#include "waiters.h"

struct news;
struct report;

struct holder {
	long slot;           /* the first; next_slot has the others; 0: nobody */
	long pid;
	int silent;
	char last;           /* byte that was read of the lease */
	int keep;            /* our write end, or -1 ... */
	long long until;     /* ... and when to close it (clock.h) */
	long long since;
};

struct clients {
	struct news *news;
	int dir;
	int mode;                /* of what clients use in the directory */
	char *builds_path;       /* absolute, of the directory; NULL: no builds here */
	long cap;                /* tokens that one build may have, or 0 */
	int borrowing;           /* tokens are those of a parent (jobserver.h, which is open) */
	int parent;              /* its descriptor, while we wait for it, or -1 */
	int asking;              /* several are wanted of it ... */
	long long asked;         /* ... and were, then */
	struct build *builds;
	struct known *known;     /* FIFOs that a dispenser which died left for its builds */
	long known_count;
	long long looked;        /* when we looked at what they leave unread ... */
	long look_again;         /* ... and how many ms later we shall */
	int spare;               /* descriptor that gives way to an answer */
	long long look;          /* when to try again to open the first request's FIFO, or 0 */
	struct pool pool;
	struct limits limits;
	struct waiters waiters;
	struct holder *holders;  /* by the descriptor of the lease */
	size_t room;
	long *next_slot;         /* by slot: the next of the same holder, or 0 */
	long slots_room;
	long *plain;             /* slots that are held without a lease */
	long plain_count, plain_room;
	struct report *report;
	long kept;               /* holders whose lease we keep open */
	int head;                /* FIFO of the first, who waits for more; or -1 */
	long long swept;         /* when we last looked for what the killed left ... */
	long long counted;       /* ... and who of those that wait is alive */
	int closing;             /* nothing is granted any more */
	unsigned long long granted, returned, recovered, waited, longest;
};

int clients_open(struct clients *c, struct news *news, int dir, long count, char **labels, long labelled,
    int inherited);
int clients_request(struct clients *c, const char *text, size_t length);
void clients_answer(struct clients *c, const char *file, const char *text);
int clients_event(struct clients *c, int fd, short events);
int clients_return(struct clients *c);
long clients_spare(struct clients *c, long wanted);
long long clients_patience(const struct clients *c);
void clients_tick(struct clients *c);
int clients_busy(const struct clients *c);
void clients_stop(struct clients *c);
void clients_close(struct clients *c);
