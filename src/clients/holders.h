/*
 * Who holds which tokens: leases that were given out, kept open for a moment for a shell, taken
 * over from a dispenser that died, and come home. A holder's slots are a chain in the pool
 * (struct slot), from its first one.
 */
#include "builds.h"
#include "waiters.h"

struct holder {
	long slot;           /* the first; 0: nobody */
	int count;           /* how many it was given, or lent; those of a build are not in it */
	char name[NAMES_CLIENT];
	long pid;            /* 0: not known */
	int silent;          /* says nothing when it returns */
	char lender[NAMES_CLIENT], job[NAMES_JOB]; /* of a loan, else "": lending.h */
	int drawn;           /* tokens that its lender, a build, could not take for that */
	char last;           /* byte that was read of the lease */
	int shell;           /* of l: a C in the lease brings the token home ... */
	int early;           /* ... and there was one */
	int keep;            /* our write end, or -1 ... */
	long long until;     /* ... and when to close it (clock.h) */
	long long since;
};

struct holders {
	struct store *store;
	struct builds *builds;
	struct holder *list; /* by the descriptor of the lease */
	size_t room;
	long kept;           /* whose lease we keep open */
	long plain;          /* the chain of slots without a lease, the oldest first */
};

/* Gives the waiter the slots of that chain (0: there are none) and says so. 0, and both ends of its
   FIFO are ours; or -1, and the slots are home. */
int holders_grant(struct holders *holders, const struct waiter *waiter, long chain, int fd,
    int answer);
/* The client has done with that chain, of which it may be one holder of several: its names go. */
void holders_home(struct holders *holders, long chain, const char *client);
/* Takes a holder over that has that chain and that lease: 0, or -1. */
int holders_enter(struct holders *holders, const struct waiter *holder, long chain, int fd);
/* The holder of that name, or NULL. */
struct holder *holders_find(const struct holders *holders, const char *client);
/* 1 for the descriptor of a lease that is out. */
int holders_know(const struct holders *holders, int fd);
/* Enters the holder of each slot there; NULL stays for plain tokens and for what is not out. */
void holders_each(const struct holders *holders, const struct holder **by_slot);
/* Takes the news of such a lease: it is home when nobody has it open, or its shell says so. */
void holders_event(struct holders *holders, int fd, short events);
/* "heard": the shell that the lease of that client is kept for may write into it now. */
void holders_heard(struct holders *holders, const char *client);
/* "pid": that process holds the lease of that client now. */
void holders_pid(struct holders *holders, const char *client, long pid);
/* Who has that chain of slots begins now (pace.h). */
void holders_begin(struct holders *holders, long slot);
/* Takes a plain token back: 0, or -1 when none is out. */
int holders_return(struct holders *holders);
/* Lets go of the leases that were kept for long enough. */
void holders_tick(struct holders *holders);
/* How long until there is one, or -1. */
long long holders_wait_ms(const struct holders *holders);
/* Closes and frees all. */
void holders_close(struct holders *holders);
