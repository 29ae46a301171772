/*
 * The tokens of a dispenser that serves clients, by their slots 1, 2 ...: which
 * are free, what label they carry, how many there are to be.
 *
 * A slot is out, free, or withdrawn; a slot that is out and one too many, or
 * whose label was taken away, is withdrawn when its token comes home.
 *
 * pool_resize() asks for so many tokens; pool_add() for one more, with a label
 * that it copies; pool_drop() takes away the one with the label. They return 0,
 * or -1 with errno (ENOENT: no such label).
 * pool_name() gives the first slots their labels, which it copies: 0, or -1.
 * pool_adopt() takes a slot that is out already, before the first pool_resize: 0,
 * or -1 with errno (EEXIST: it was taken before).
 * pool_look() looks at the clock, where there is a pace (pace.h). By what it said,
 * pool_spare() is how many may be given out: those that are free, unless too many are
 * out; and pool_rests() is 1 for those that are free and may not, for it is too soon.
 * pool_missing() is how many have to come home before so many may be.
 * pool_take() is one that may be given out, and is out then, or 0. pool_home() ends that.
 * pool_begun(): the holder of that slot says that it starts, for the first time or
 * again. Who never does has started, at the latest, when its token comes home; while a
 * minimum time between any two starts is kept, nothing else is given out meanwhile.
 * pool_unknown(): the starts before were another dispenser's; all slots wait in full.
 * pool_left() is how many ms from now a look will find more to spare, or -1;
 * pool_rest() how many until it is all that is free, if time is all that it needs.
 * pool_slot_left() is how many until that slot may be given out.
 * pool_label() is "" for a slot without one.
 */
#include <stddef.h>

struct pace;

enum { MOST_TOKENS = 1000000 };

struct slot {
	enum { WITHDRAWN, FREE, OUT } state;
	int leaving;
	int pending;         /* out, and not begun */
	long long due;       /* pace.h */
	char *label;
};

struct pool {
	struct slot *slots;  /* slots[0] is not used */
	long room;
	long wanted;         /* tokens there are to be */
	long free, out;
	long leaving;        /* of those that are out */
	long lowest;         /* no slot below is free */
	struct pace *pace;   /* the caller's */
	long long unknown;   /* due of slots that a dispenser which died may have given out */
	long pending;        /* slots */
	long long looked;    /* pool_look() (clock.h) */
};

int pool_resize(struct pool *pool, long wanted);
int pool_add(struct pool *pool, const char *label);
int pool_drop(struct pool *pool, const char *label);
int pool_name(struct pool *pool, char **labels, long count);
int pool_adopt(struct pool *pool, long slot);
void pool_look(struct pool *pool);
long pool_spare(const struct pool *pool);
int pool_rests(const struct pool *pool, long slot);
long pool_missing(const struct pool *pool, long count);
long pool_take(struct pool *pool);
void pool_home(struct pool *pool, long slot);
void pool_begun(struct pool *pool, long slot);
void pool_unknown(struct pool *pool);
long long pool_left(const struct pool *pool);
long long pool_rest(const struct pool *pool);
long long pool_slot_left(const struct pool *pool, long slot);
const char *pool_label(const struct pool *pool, long slot);
void pool_clear(struct pool *pool);
