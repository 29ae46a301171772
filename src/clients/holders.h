/*
 * Who holds which tokens: leases that were given out, kept open for a moment for a shell, taken
 * over from a dispenser that died, and come home. A holder's slots are a chain in the pool
 * (struct slot), from its first one.
 */
#include "builds.h"
#include "waiters.h"

struct holder {
	long slot;           /* the first; 0: nobody */
	char name[NAMES_CLIENT];
	long pid;            /* 0: not known */
	int silent;          /* says nothing when it returns */
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

/* Gives the waiter its tokens and says so. 0, and both ends of its FIFO are ours; or -1. */
int holders_grant(struct holders *holders, const struct waiter *waiter, int fd, int answer);
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
/* Looks at the FIFO of that name: held, its slot is out; else it goes. 0, or -1 with errno. */
int holders_adopt(struct holders *holders, const struct name *name);
/* The lease of the holder (of these holders) that has the slot, now its first; or -1. */
int holders_lead(void *context, long slot);
/* Closes and frees all. */
void holders_close(struct holders *holders);
