/* A dispenser for programs: clients ask for tokens, wait, and hold them. */
#ifndef CLIENTS_H
#define CLIENTS_H
#include <sys/types.h>

#include <stddef.h>

#include "../lease/lease.h"
#include "../lib/lib.h"

/* Who asks for tokens: a waiter, then a holder, and perhaps a build has a copy. Of one that holds
   tokens of an earlier dispenser we know only its name, and their count. */

enum { PRIORITIES = 10 /* 0 to 9 */, PRIORITY_USUAL = 5 };

struct party {
	char name[NAMES_CLIENT];
	long pid;                /* as it says itself, for people; 0: not known */
	int count;               /* tokens, all at once; of a build, without further ones */
	int priority;
	int shell;               /* we keep its lease open for a moment; a C brings it home */
	int silent;              /* says nothing when it returns */
	int build;               /* is a client of the jobserver, too ... */
	long cap;                /* ... with at most that many tokens, or 0 */
	char *command;           /* as it says itself, or NULL; a waiter or a holder frees it */
};

/*
 * first.c: the first token of a dispenser whose tokens are those of another one (-u PARENT).
 * Further ones come by the jobserver of its lease (jobserver.c). We are started with it. When no
 * client has needed it for a while it goes home, so that others have it; later a child, tokget,
 * stands in line for another one, and holds it until its input ends.
 */

struct first {
	const char *parent;    /* the FIFO; NULL: the tokens are make's, and the first is ours */
	int lost;              /* there is none: not held now ... */
	int busy;              /* ... as the parent had none free, and the child was not to wait */
	int gone;              /* the parent has ended */
	pid_t child;           /* or 0 */
	int input, line;       /* what keeps it, and where it says MAKEFLAGS; or -1 */
	char text[8192];
	size_t used;
	long long unused;      /* since when nobody has needed it (clock.c), or 0 */
};

/* We hold the first token of that pool, by descriptors that we were started with. */
void first_begin(struct first *first, const char *parent);
/* 1 if we hold it; else asks for it. now: the child is not to wait. */
int first_has(struct first *first, struct news *news, int now);
/* Takes news of that descriptor: 1; 0: it is not ours. */
int first_event(struct first *first, struct news *news, int fd);
/* Gives it back if nobody has needed it for a while. */
void first_rest(struct first *first, int needed);
/* How long until first_rest() is due, or -1. */
long long first_wait_ms(const struct first *first);
/* Ends the child. */
void first_close(struct first *first);

/*
 * pool.c: the tokens of a dispenser for clients, by their slots 1, 2 ...: which are free, what
 * label they carry, how many there are to be. A slot is out, free, or withdrawn. A slot that is out
 * when it becomes one too many, or loses its label, is withdrawn when its token comes home.
 * Functions that return int return 0, or -1 with errno.
 */

enum {
	LABEL_COST = 32,        /* bytes that a label takes besides its text, at most */
	MOST_LABELS = 4 << 20   /* bytes of all labels, after pool_add() */
};

struct slot {
	enum { WITHDRAWN, FREE, OUT } state;
	int leaving;
	struct turn turn;
	char *label;
	long next;           /* of the same holder, or 0: holders.c, builds.c */
	long long since;     /* when it went out, or was last seen to be taken, or not (clock.c) */
	int lies;            /* a build was offered it, and had not taken it then */
};

struct pool {
	struct slot *slots;  /* slots[0] is no slot: builds.c has a chain there */
	size_t room;
	long wanted;         /* tokens there are to be */
	long free, out;
	long leaving;        /* of those that are out */
	long lowest;         /* no slot below is free */
	size_t labelled;     /* bytes of all labels */
	struct pace *pace;   /* the caller's */
	struct turn unknown; /* of slots that a dead dispenser may have given out */
	long long looked;    /* the caller's last look at the clock (clock.c): all waits are from
	                        here, so that none ends unseen between two questions */
};

/* Asks for that many tokens. */
int pool_resize(struct pool *pool, long wanted);
/* One token more, with a label that is copied; ENOSPC: the labels would take too much memory. */
int pool_add(struct pool *pool, const char *label);
/* Takes away the token with that label; ENOENT: there is none. */
int pool_drop(struct pool *pool, const char *label);
/* Gives the first slots their labels, which are copied. */
int pool_name(struct pool *pool, char **labels, long count);
/* Takes a slot that is out already, before the first pool_resize(). EEXIST: it was taken before. */
int pool_adopt(struct pool *pool, long slot);
/* Another dispenser made the starts before: all slots wait in full. */
void pool_inherit(struct pool *pool);
/* How many may be given out now: those that are free, unless too many are out or it is too soon. */
long pool_spare(const struct pool *pool);
/* How many have to come home before that many may be given out. */
long pool_missing(const struct pool *pool, long count);
/* Gives out a slot; 0: none may be given out. */
long pool_take(struct pool *pool);
/* Gives out a chain of that many; or 0, and none is out. */
long pool_take_all(struct pool *pool, long count);
/* The token of that slot is home. */
void pool_home(struct pool *pool, long slot);
/* The same for each in a chain, which may be empty: 0. */
void pool_all_home(struct pool *pool, long chain);
/* The holder of that slot says that it begins (pace.c). */
void pool_begin(struct pool *pool, long slot);
/* How long until time alone makes more to spare, or -1. */
long long pool_wait_ms(const struct pool *pool);
/* How long until that slot may be given out; -1 while another one has to begin first. */
long long pool_slot_wait_ms(const struct pool *pool, long slot);
/* The label of a slot, or "". */
const char *pool_label(const struct pool *pool, long slot);
/* Forgets all. */
void pool_clear(struct pool *pool);

/* store.c: shared by all parts of a dispenser for clients: its directory, its tokens, where they
   come from, and what became of them. */

/* A token that has come home: who had it, from when to now. */
struct use {
	long slot;
	const char *label;       /* of the slot, or "" */
	const char *command;     /* or NULL: nobody has said */
	long long ms;
	int status, killed;      /* of the command, or 0; it never came to its end */
};

struct store {
	struct news *news;       /* the caller's, as are the next two */
	int dir;
	int mode;                /* of files that clients use in the directory */
	int spare;               /* descriptor that gives way to an answer: names_answer() */
	struct pool pool;
	struct limits limits;
	const char *closing;     /* nothing is given out any more: "stopped", "closing"; or NULL */
	int paused;              /* the same for now: by size 0 */

	/* If the tokens are a parent's (jobserver.c, which is open): */
	int borrowing;
	struct first first;
	int hurried;             /* a request of this turn is for now or not at all */
	int parent;              /* its descriptor, while we wait for it, or -1 */
	int asking;              /* we want several ... */
	long long asked;         /* ... and last asked then (clock.c) */

	/* Told of each token that comes home, or NULL. */
	void (*used)(void *context, const struct use *use);
	void *context;

	unsigned long long granted, returned, recovered, waited, longest; /* the last two in ms */
};

/* 1 for more tokens than there are to be, or than an answer can name. */
int store_lacks(const struct store *store, long count);
/* Opens the read end of a client's FIFO; or -1 with errno (ESRCH: it is dead, its FIFO removed). */
int store_client(const struct store *store, const char *file);
/* Answers "no REASON" to the client of that name, if it is still there. */
void store_refuse(struct store *store, const char *name, const char *reason);
/* 1 if a borrower has a loan of that slot of that client: tools/borrow.c. */
int store_lent(const struct store *store, const char *client, long slot);
/* The token of that slot comes home, or was given back by a build: use has the command, and how it
   ended. */
void store_used(const struct store *store, long slot, struct use use);
/* How many of that many tokens may be given out now. */
long store_spare(struct store *store, long wanted);
/* Gives tokens that nobody needs back to the parent; first: how many the first waiter wants. */
void store_settle(struct store *store, long first);
/* How many more are out than there are to be now. */
long store_surplus(struct store *store);
/* How long until store_spare() may return more even if nothing happens, or -1. */
long long store_wait_ms(const struct store *store, int waiting, int builds);

/*
 * builds.c: builds are holders that may take further tokens by the protocol of GNU make's
 * jobserver. The lease of slot K holds the first token, and these two FIFOs lie beside it:
 *
 *	K.NAME.jobserver  a byte for each token offered and not taken
 *	K.NAME.returned  for clients in the build that know the two as descriptors R,W, to give
 *			tokens back; clients that know a path give them back into the first
 *
 * All tokens of a build come home when the lease is closed, however it is closed. A token that is
 * offered has the name of its slot linked to K.NAME.jobserver, so a dispenser that takes over finds
 * it. Unread tokens can be taken back at any time. How many tokens each build gets: shares.c.
 */

struct build {
	struct build *next;
	struct party who;     /* its holder, whose command it is */
	long slot;            /* the first of its holder: K */
	int offers, into;     /* the two ends of .jobserver */
	int returns;          /* read end of .returned */
	long given;           /* tokens besides the first: they follow it in its chain of slots */
	long reserved;        /* of them, its own: not taken back */
	long unread;          /* of them, at the last look; if the system cannot count, 1 for any */

	/* Kept by shares.c; times are of clock.c: */
	long due;             /* to be given now */
	long long lying;      /* since when some have been unread at each look, or -1 */
	long long read;       /* when it had last read all */
	long long sated;      /* until then it wants none; 0: it has read all since we took some */
	int watched;          /* a return into .jobserver is news */
};

struct builds {
	struct store *store;
	struct build *list;
	char *path;           /* absolute, of the directory; NULL: no builds here */
	long cap;             /* tokens that one build may have, or 0 */
	long long looked;     /* when shares.c looked at unread tokens (clock.c) */
};

/* Makes a build, with that first slot. The other tokens that it asked for are its own. 0; -1: no
   change. */
int builds_begin(struct builds *builds, long slot, const struct party *who);
/* Ends the build of that name; must come before the slots of its holder come home. */
void builds_end(struct builds *builds, const char *name);
/* The same for a holder under a dispenser that takes over, if the FIFOs are there. 0, or -1 with
   errno. */
int builds_reopen(struct builds *builds, long slot, const struct party *who);
/* Enters a slot, out already, as one that the build was given. 0, or -1 with errno. */
int builds_regain(struct builds *builds, struct build *build, long slot);
/* The build of the holder of that name, or NULL. */
struct build *builds_find(const struct builds *builds, const char *name);
/* 1 for a descriptor of a build. */
int builds_event(const struct builds *builds, int fd);
/* Looks which tokens lie unread, and which came home. */
void builds_look(struct builds *builds);
/* Offers that many tokens, as far as they are free. */
void builds_give(struct builds *builds, struct build *build, long count);
/* Takes back that many unread tokens; returns how many it got. */
long builds_take(struct builds *builds, struct build *build, long count);
/* Takes back unread tokens until that many may be given out. */
void builds_recall(struct builds *builds, long wanted);
/* How many of its tokens it has not taken, its own included. */
long builds_unread(struct builds *builds, struct build *build);
/* Counts the tokens that are offered: they lie unread and may be taken back. Marks their slots. */
long builds_count(struct builds *builds, char *by_slot);
/* After builds_count(), how many of them that build has. */
long builds_offered(const struct build *build);
/* If uses of tokens are told of, looks which tokens builds have taken or given back: 1 if that is
   due again soon, or 0. */
int builds_note(struct builds *builds);
/* Forgets them all; their names are the caller's to remove. */
void builds_close(struct builds *builds);

/* waiters.c: the clients that wait for tokens: first come, first served within a priority, the
   highest first. So that the lowest is served as well, a priority that was passed over often
   enough is next. */

struct waiter {
	struct party who;
	int most;                /* wants all that are free, up to this; 0: just the count */
	int all;                 /* the count is as many as there are to be */
	int now;                 /* wants them now or not at all */
	long long asked;         /* when (clock.c) */
	struct waiter *next;
};

struct waiters {
	struct waiter *first[PRIORITIES], *last[PRIORITIES];
	int passed[PRIORITIES];  /* how often others went before its first */
	long count;
};

/* Puts a copy of the waiter at the end of its priority, which then has its command. 0, or -1 with
   errno. */
int waiters_add(struct waiters *waiters, const struct waiter *waiter);
/* The waiter to be served next, or NULL; the same until one is added or taken. */
struct waiter *waiters_first(const struct waiters *waiters);
/* Removes that waiter; served: lower priorities have been passed over. */
void waiters_take(struct waiters *waiters, int served);
/* There are to be that many tokens: waiters that want all want that many. */
void waiters_resize(struct waiters *waiters, long wanted);
/* Calls back for at most count of them, by priority and age, without the first from; removes those
   for which the call does not return 0. */
void waiters_some(struct waiters *waiters, long from, long count,
    int (*call)(void *, const struct waiter *), void *context);

/* holders.c: the holders of tokens. Their leases are given out, kept open for a moment for a
   shell, taken over from a dispenser that died, and come home. A holder's slots are a chain in
   the pool (struct slot), from its first one. */

struct holder {
	struct party who;
	long slot;           /* the first; 0: nobody */
	int early;           /* a shell has written C there */
	int keep;            /* our write end, or -1 ... */
	long long until;     /* ... and when to close it (clock.c) */
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
/* "begun": the holder of that name begins now (pace.c), with all its slots, if that is one. */
void holders_begin(struct holders *holders, const char *client, long slot);
/* Lets go of leases that were kept long enough. */
void holders_tick(struct holders *holders);
/* How long until there is such a lease, or -1. */
long long holders_wait_ms(const struct holders *holders);
/* Closes and frees all. */
void holders_close(struct holders *holders);

/*
 * clients.c: a dispenser for programs: clients ask for tokens by its inlet (tokend(5)), wait, and
 * hold tokens.
 *
 * A client makes the FIFO w/NAME in the directory, keeps its write end open, and asks. That FIFO
 * carries the answer, and from then on it is the lease of the slots given: renamed to the first,
 * linked to the others. Until then nothing of it is open here. Requests and news change the state
 * (asked.c); clients_serve() then acts on it.
 */

struct report;

struct clients {
	struct store store;
	struct builds builds;
	struct holders holders;
	struct waiters waiters;
	struct report *reports;
	char *runs;          /* the command that comes before a request, or NULL ... */
	char runs_name[NAMES_CLIENT]; /* ... of that client */
	int head;            /* FIFO of the first waiter while too few are free; or -1 */
	long long look;      /* when to try again to open the first waiter's FIFO, or 0 (clock.c) */
	long long swept;     /* when we last looked for FIFOs of killed clients (clock.c) */
	long long count_due; /* while many wait, when to look which of them live (clock.c) */
	long long note;      /* when to look again what builds have taken, or 0 (clock.c) */
	long asked_about;    /* the waiter at which the next window goes on to look */
};

/* Adopts tokens that are held, makes count tokens with these labels. 0, or -1 after a message. */
int clients_open(struct clients *c, struct news *news, int dir, long count, char **labels,
    long labelled, int inherited);
/* Takes the news of a descriptor: 1; 0: it is not ours. */
int clients_event(struct clients *c, int fd, short events);
/* Gives tokens and answers as far as possible; due once a turn of the dispenser's loop. */
void clients_serve(struct clients *c);
/* How long until clients_serve() is due even if nothing happens, or -1. */
long long clients_wait_ms(const struct clients *c);
/* 1 while a token is out, somebody waits, or the pool is paused. */
int clients_busy(const struct clients *c);
/* The end was asked for: gives nothing any more, and tells all waiters. */
void clients_stop(struct clients *c);
/* Removes all names that clients have or left in the directory; closes and frees all. */
void clients_close(struct clients *c);

/* asked.c: requests of clients to their dispenser: lines that come by its inlet (tokend(5)). */

/* Takes a request, the line without '@' and newline: 0; -1: it is none. */
int asked_take(struct clients *c, const char *text, size_t length);

/* remains.c: files that killed clients, and clients of an earlier dispenser, have left in the
   directory. */

/* From time to time, while few wait, removes FIFOs that nobody knows: their clients were killed
   before they asked. It costs a look at each name. */
void remains_sweep(struct clients *c);
/* Adopts leases that are held, and builds, and tells waiters to ask again. 0, or -1 with errno. */
int remains_adopt(struct clients *c);

/*
 * report.c: a report for tokstat: the state of the pool, line by line, the fields separated by
 * tabs.
 *
 *	pool TOKENS FREE OUT WAITING GRANTED RETURNED RECOVERED LONGEST MEAN
 *	holder SLOT PID SECONDS COUNT PRIORITY SHARE READY LABELS COMMAND
 *	slot SLOT STATE PID SECONDS HOLDER LABEL
 *	wait PLACE PID SECONDS COUNT PRIORITY COMMAND
 *	end
 *
 * A holder is a command that has tokens, of which SLOT is the first; SHARE and READY (offered to
 * it, and not taken) are those of a build, or "-". COMMAND is what the client said of itself; it is
 * empty after a dispenser was killed. STATE is free, out, offered to a build, or resting; HOLDER is
 * the first slot of who has it, or 0. A report of at most so many commands has no slots, and costs
 * no more if many wait.
 *
 * A report is written into the asker's FIFO as fast as that takes it; we wait for nobody, and an
 * asker that has gone costs nothing. "no room": too many reports, or bytes, wait to be read.
 */

/* Begins a report of that many commands, or of all there is (-1), written when all clients were
   served: report_write(). 1; 0: too many are under way, or another one into that file is. */
int report_ask(struct clients *c, const char *file, long rows);
/* Writes the reports that were begun, as far as their askers' FIFOs take them now. */
void report_write(struct clients *c);
/* Goes on with the report that has that descriptor: 1; 0: none has. */
int report_event(struct clients *c, int fd, short events);
/* Drops all. */
void report_close(struct clients *c);

/*
 * shares.c: how many tokens each build (builds.c) is offered.
 *
 * Clients that wait for a token of their own come first. A build alone is offered all free tokens.
 * Of several, a build that has read all its offers is hungry: it gets the tokens that others leave
 * unread for TICK ms, most of them first; and of two hungry builds the one with more than its share
 * gives up a token when it returns one. Shares are in proportion to priority + 1; the first token
 * of a build is never taken. A build that leaves its tokens unread is asked again later and later.
 */

/* Balances offers; due once a turn of the loop. waiting: a client waits for a token of its own. */
void shares_balance(struct builds *builds, int waiting);
/* How many tokens that build, its first included, is to have if all want more than there are. */
long shares_of(const struct builds *builds, const struct build *build);
/* How long until shares_balance() is due, or -1. */
long long shares_wait_ms(const struct builds *builds, int waiting);
#endif
