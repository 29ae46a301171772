/* The holders of tokens. Their leases are given out, kept open for a moment for a shell, taken over
   from a dispenser that died, and come home. A holder's slots are a chain in the pool (struct
   slot), from its first one. */
#include "builds.h"
#include "waiters.h"

struct holder {
	struct party who;
	long slot;           /* the first; 0: nobody */
	int early;           /* a shell has written C there */
	int keep;            /* our write end, or -1 ... */
	long long until;     /* ... and when to close it (clock.h) */
	long long since;
};

struct holders {
	struct store *store;
	struct builds *builds;
	struct holder *list; /* by the descriptor of the lease */
	size_t room;
	long kept;           /* holders whose lease we keep open */
};

/* Gives the slots of that chain (0: there are none) and answers. 0: both ends of the FIFO are ours
   now, and so is the command; -1: the slots are home. */
int holders_grant(struct holders *holders, const struct party *who, long chain, int fd, int answer);
/* The client, perhaps one holder of several, has done with that chain: its names go. */
void holders_home(struct holders *holders, long chain, const char *client);
/* Takes over a holder with that chain and that lease: 0, or -1. */
int holders_enter(struct holders *holders, const struct party *who, long chain, int fd);
/* The holder of that name, or NULL. */
struct holder *holders_find(const struct holders *holders, const char *client);
/* Tells the asker, in w/NAME, which tokens that client has, with those it has taken as a build. */
void holders_tell(struct holders *holders, const char *asker, const char *client);
/* Enters the holder of each slot; NULL stays for slots that are not out. */
void holders_each(const struct holders *holders, const struct holder **by_slot);
/* Takes news of that descriptor: 1; 0: it is no lease that is out. Its token is home when nobody
   has it open, or its shell says so. */
int holders_event(struct holders *holders, int fd, short events);
/* "heard": the shell for which that client's lease is kept may write into it now. */
void holders_heard(struct holders *holders, const char *client);
/* "pid": that process holds the lease of that client now. */
void holders_pid(struct holders *holders, const char *client, long pid);
/* "begun": the holder of that name begins now (pace.h), with all its slots, if that is one. */
void holders_begin(struct holders *holders, const char *client, long slot);
/* Lets go of leases that were kept long enough. */
void holders_tick(struct holders *holders);
/* How long until there is such a lease, or -1. */
long long holders_wait_ms(const struct holders *holders);
/* Closes and frees all. */
void holders_close(struct holders *holders);
