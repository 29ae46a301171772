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
 * pool_spare() is how many may be given out: those that are free, unless too many are
 * out; pool_missing() how many have to come home before so many may be.
 * pool_take() is a free slot, which is out then, or 0. pool_home() ends that.
 * pool_label() is "" for a slot without one.
 */
#include <stddef.h>

enum { MOST_TOKENS = 1000000 };

struct slot {
	enum { WITHDRAWN, FREE, OUT } state;
	int leaving;
	char *label;
};

struct pool {
	struct slot *slots;  /* slots[0] is not used */
	long room;
	long wanted;         /* tokens there are to be */
	long free, out;
	long leaving;        /* of those that are out */
	long lowest;         /* no slot below is free */
};

int pool_resize(struct pool *pool, long wanted);
int pool_add(struct pool *pool, const char *label);
int pool_drop(struct pool *pool, const char *label);
int pool_name(struct pool *pool, char **labels, long count);
int pool_adopt(struct pool *pool, long slot);
long pool_spare(const struct pool *pool);
long pool_missing(const struct pool *pool, long count);
long pool_take(struct pool *pool);
void pool_home(struct pool *pool, long slot);
const char *pool_label(const struct pool *pool, long slot);
void pool_clear(struct pool *pool);
