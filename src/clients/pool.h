/*
 * The tokens of a dispenser for clients, by their slots 1, 2 ...: which are free, what label they
 * carry, how many there are to be. A slot is out, free, or withdrawn. A slot that is out when it
 * becomes one too many, or loses its label, is withdrawn when its token comes home. Functions that
 * return int return 0, or -1 with errno.
 */
#include <stddef.h>

#include "../lib/pace.h"

enum {
	LABEL_COST = 32,        /* bytes that a label takes besides its text, at most */
	MOST_LABELS = 4 << 20   /* bytes of all labels, after pool_add() */
};

struct slot {
	enum { WITHDRAWN, FREE, OUT } state;
	int leaving;
	struct turn turn;
	char *label;
	long next;           /* of the same holder, or 0: holders.h, builds.h */
	long long since;     /* when it went out, or was last seen to be taken, or not (clock.h) */
	int lies;            /* a build was offered it, and had not taken it then */
};

struct pool {
	struct slot *slots;  /* slots[0] is no slot: builds.h has a chain there */
	size_t room;
	long wanted;         /* tokens there are to be */
	long free, out;
	long leaving;        /* of those that are out */
	long lowest;         /* no slot below is free */
	size_t labelled;     /* bytes of all labels */
	struct pace *pace;   /* the caller's */
	struct turn unknown; /* of slots that a dead dispenser may have given out */
	long long looked;    /* the caller's last look at the clock (clock.h): all waits are from
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
/* The holder of that slot says that it begins (pace.h). */
void pool_begin(struct pool *pool, long slot);
/* How long until time alone makes more to spare, or -1. */
long long pool_wait_ms(const struct pool *pool);
/* How long until that slot may be given out; -1 while another one has to begin first. */
long long pool_slot_wait_ms(const struct pool *pool, long slot);
/* The label of a slot, or "". */
const char *pool_label(const struct pool *pool, long slot);
/* Forgets all. */
void pool_clear(struct pool *pool);
