/*
 * Builds are holders that may take further tokens by the protocol of GNU make's jobserver. The
 * lease of slot K holds the first token, and these two FIFOs lie beside it:
 *
 *	K.NAME.jobserver  a byte for each token offered and not taken
 *	K.NAME.returned  for clients in the build that know the two as descriptors R,W, to give
 *			tokens back; clients that know a path give them back into the first
 *
 * All tokens of a build come home when the lease is closed, however it is closed. A token that is
 * offered has the name of its slot linked to K.NAME.jobserver, so a dispenser that takes over finds
 * it. Unread tokens can be taken back at any time. How many tokens each build gets: shares.h.
 */
#include "party.h"
#include "store.h"

struct build {
	struct build *next;
	struct party who;     /* its holder, whose command it is */
	long slot;            /* the first of its holder: K */
	int offers, into;     /* the two ends of .jobserver */
	int returns;          /* read end of .returned */
	long given;           /* tokens besides the first: they follow it in its chain of slots */
	long reserved;        /* of them, its own: not taken back */
	long unread;          /* of them, at the last look; if the system cannot count, 1 for any */

	/* Kept by shares.h; times are of clock.h: */
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
	long long looked;     /* when shares.c looked at unread tokens (clock.h) */
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
