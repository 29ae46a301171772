/*
 * The builds among the holders: those that may take further tokens by the protocol of GNU make's
 * jobserver. The lease of slot K holds the first token, and these two FIFOs lie beside it:
 *
 *	K.NAME.jobserver  a byte for each token offered and not taken
 *	K.NAME.returned  where a client in the build gives them back that knows the two as
 *			descriptors R,W; one that knows a path gives them back into the first
 *
 * All tokens of a build come home when the lease is closed, however it is closed. A token that is
 * offered has the name of its slot linked to K.NAME.jobserver, so a dispenser that takes over finds
 * them. What lies unread can be taken back at any time. How many tokens each build gets:
 * shares.h.
 *
 * One more may be for all builds that were not started by tokget and share the FIFO "jobserver".
 * Its tokens come home when nobody has that open any more; only a look tells.
 */
#include "store.h"

struct waiter;

struct build {
	struct build *next;
	long slot;            /* the first of its holder: K; 0 for the shared one */
	char name[NAMES_CLIENT]; /* of its holder, or "" */
	int offers, into;     /* the two ends of .jobserver */
	int returns;          /* read end of .returned */
	long given;           /* tokens besides the first: they follow it in its chain of slots */
	long reserved;        /* of them, its own: not taken back */
	long owed;            /* it has more than these, by what builds_part() took: the next ones
	                         that it gives back are nobody's */
	int priority;         /* 0 to 9; of one that was adopted, and of the shared one, 5 */
	long cap;             /* tokens that it may have, or 0: as many as any */
	long unread;          /* of them, at the last look; where that cannot be told, 1 for some */
	int absent;           /* the shared one, and nobody has it open */

	/* Kept by shares.h: */
	long due;             /* to be given now */
	long long lying;      /* since when some have been unread at each look, or -1 */
	int idle;             /* it has not read all since some was taken back */
	long long sated;      /* until then it is not hungry, whatever it reads */
	long pause;           /* ms for which it is sated the next time */
	int watched;          /* a return into .jobserver is news */
};

struct builds {
	struct store *store;
	struct build *list;
	char *path;           /* absolute, of the directory; NULL: no builds here */
	long cap;             /* tokens that one build may have, or 0 */
	long long looked;     /* when shares.h looked at what lies unread ... */
	long look_again;      /* ... and how many ms later it will */
};

/* Makes the holder that waited for that a build: its first slot. What it asked for besides
   the first token is its own. 0, or -1 and no change. */
int builds_begin(struct builds *builds, long slot, const struct waiter *waiter);
/* Must come before the slots of the holder of that name come home. */
void builds_end(struct builds *builds, const char *name);
/* Makes the shared one, if it is not there: 0, or -1. */
int builds_share(struct builds *builds);
/* A holder that was a build of a dispenser which died is one again, if its FIFOs are there: its
   first slot, name. What else it holds is its own. 0, or -1 with errno. */
int builds_reopen(struct builds *builds, long first, const char *name);
/* The slot, out already, is one of those the build was given. 0, or -1 with errno. */
int builds_regain(struct builds *builds, struct build *build, long slot);
/* That of the holder of that name, "" for the shared one; or NULL. */
struct build *builds_find(const struct builds *builds, const char *name);
/* How many tokens it has taken and not given back, its first one included. */
long builds_out(struct builds *builds, struct build *build);
/* Takes back that many of its own, which nobody else gets: 0, or -1 and no change. */
int builds_draw(struct build *build, long count);
/* Gives these back to that of the holder of that name, if it is there still. */
void builds_repay(struct builds *builds, const char *name, long count);
/* Parts with that slot, for which it gives a token back as soon as it can: 0; or -1: the slot is
   not one that it was given. */
int builds_part(struct builds *builds, struct build *build, long slot);
/* 1 for a descriptor of theirs. */
int builds_event(const struct builds *builds, int fd);
/* Sees what lies unread and what came home: 1 when that has changed. */
int builds_look(struct builds *builds);
/* Offers that many tokens, as far as they are free. */
void builds_give(struct builds *builds, struct build *build, long count);
/* Takes back that many that are unread; returns how many were. */
long builds_take(struct builds *builds, struct build *build, long count);
/* Takes back what is unread until that many tokens may be given out. */
void builds_recall(struct builds *builds, long wanted);
/* Counts the tokens that are offered: they lie unread and may be taken back. */
long builds_count(struct builds *builds);
/* After that, how many of them that build has. */
long builds_offered(const struct build *build);
/* After that, 1 for a slot whose token is one of these. */
int builds_offer(const struct builds *builds, long slot);
/* How many tokens the shared one has while nobody has it open. */
long builds_idle(const struct builds *builds);
/* Forgets them all; their names are the caller's to remove. */
void builds_close(struct builds *builds);
