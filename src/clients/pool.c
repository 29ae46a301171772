#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/clock.h"
#include "../lib/pace.h"
#include "pool.h"

static int
make_room(struct pool *pool, long slot)
{
	struct slot *bigger;
	long i, room = pool->room + pool->room / 2 + 16;

	if (slot < pool->room)
		return 0;
	if (room <= slot)
		room = slot + 1;
	if ((bigger = realloc(pool->slots, (size_t)room * sizeof *bigger)) == NULL)
		return -1;
	pool->slots = bigger;
	for (i = pool->room; i < room; i++) {
		bigger[i].state = WITHDRAWN;
		bigger[i].leaving = bigger[i].pending = 0;
		bigger[i].due = pool->unknown;
		bigger[i].label = NULL;
	}
	pool->room = room;
	return 0;
}

static void
set_free(struct pool *pool, long slot)
{
	pool->slots[slot].state = FREE;
	pool->free++;
	if (slot < pool->lowest)
		pool->lowest = slot;
}

static void
withdraw(struct pool *pool, long slot)
{
	pool->slots[slot].state = WITHDRAWN;
	pool->slots[slot].leaving = 0;
	free(pool->slots[slot].label);
	pool->slots[slot].label = NULL;
}

/* Those that leave are not counted: others may be given out in their place. */
static long
total(const struct pool *pool)
{
	return pool->free + pool->out - pool->leaving;
}

/* The lowest slot that is withdrawn and so can be used anew, or -1. */
static long
new_slot(struct pool *pool)
{
	long slot;

	for (slot = 1; slot < pool->room && pool->slots[slot].state != WITHDRAWN; slot++)
		;
	return make_room(pool, slot) == 0 ? slot : -1;
}

int
pool_resize(struct pool *pool, long wanted)
{
	long slot;

	if (make_room(pool, wanted + pool->leaving) != 0) /* those that leave are in nobody's place */
		return -1;
	pool->wanted = wanted;
	for (slot = 1; slot < pool->room && total(pool) < wanted; slot++)
		if (pool->slots[slot].state == WITHDRAWN)
			set_free(pool, slot);
	for (slot = pool->room - 1; slot > 0 && pool->free > 0 && total(pool) > wanted; slot--)
		if (pool->slots[slot].state == FREE) {
			pool->free--;
			withdraw(pool, slot);
		}
	return 0;
}

int
pool_add(struct pool *pool, const char *label)
{
	long slot = new_slot(pool);
	char *copy = malloc(strlen(label) + 1);

	if (slot < 0 || copy == NULL) {
		free(copy);
		return -1;
	}
	pool->slots[slot].label = strcpy(copy, label);
	pool->wanted++;
	set_free(pool, slot);
	return 0;
}

int
pool_drop(struct pool *pool, const char *label)
{
	long slot;

	for (slot = 1; slot < pool->room; slot++) {
		struct slot *s = pool->slots + slot;

		if (s->state == WITHDRAWN || s->leaving || s->label == NULL ||
		    strcmp(s->label, label) != 0)
			continue;
		if (total(pool) <= pool->wanted) /* else it is one of those too many */
			pool->wanted--;
		if (s->state == OUT) {
			s->leaving = 1;
			pool->leaving++;
		} else {
			pool->free--;
			withdraw(pool, slot);
		}
		return 0;
	}
	errno = ENOENT;
	return -1;
}

int
pool_name(struct pool *pool, char **labels, long count)
{
	long i;

	if (make_room(pool, count) != 0)
		return -1;
	for (i = 0; i < count; i++) {
		if ((pool->slots[i + 1].label = malloc(strlen(labels[i]) + 1)) == NULL)
			return -1;
		strcpy(pool->slots[i + 1].label, labels[i]);
	}
	return 0;
}

int
pool_adopt(struct pool *pool, long slot)
{
	if (make_room(pool, slot) != 0)
		return -1;
	if (pool->slots[slot].state == OUT) {
		errno = EEXIST;
		return -1;
	}
	pool->slots[slot].state = OUT;
	pool->out++;
	return 0;
}

/* Of a pool that was made smaller more may be out than there are to be, and then what is
   added since is free, but not to be had before enough of those are home. */
static long
room_for(const struct pool *pool)
{
	return pool->wanted - (pool->out - pool->leaving);
}

static int
rests(const struct pool *pool, long slot)
{
	return pool->pace->each > 0 && pool->slots[slot].due > pool->looked;
}

void
pool_look(struct pool *pool)
{
	if (pace_on(pool->pace))
		pool->looked = clock_now();
}

int
pool_rests(const struct pool *pool, long slot)
{
	return rests(pool, slot) ||
	    (pool->pace->any > 0 && (pool->pending > 0 || pool->pace->due > pool->looked));
}

long
pool_spare(const struct pool *pool)
{
	long room = room_for(pool), rested = pool->free, slot;

	if (pace_on(pool->pace))
		for (rested = 0, slot = 1; slot < pool->room; slot++)
			rested += pool->slots[slot].state == FREE && !pool_rests(pool, slot);
	return room < 0 ? 0 : room < rested ? room : rested;
}

long
pool_missing(const struct pool *pool, long count)
{
	long room = room_for(pool);

	if (count <= room)
		return 0;
	return room < 0 && count > LONG_MAX + room ? LONG_MAX : count - room;
}

/* One that rests may be below the one that is taken. */
long
pool_take(struct pool *pool)
{
	long slot = pool->lowest < 1 ? 1 : pool->lowest;

	if (pool->free == 0)
		return 0;
	while (slot < pool->room && pool->slots[slot].state != FREE)
		slot++;
	pool->lowest = slot;
	while (slot < pool->room && (pool->slots[slot].state != FREE || rests(pool, slot)))
		slot++;
	if (slot == pool->room)
		return 0;
	pool->slots[slot].state = OUT;
	pool->slots[slot].pending = pace_on(pool->pace);
	pool->pending += pool->slots[slot].pending;
	pool->free--;
	pool->out++;
	return slot;
}

void
pool_begun(struct pool *pool, long slot)
{
	if (slot < 1 || slot >= pool->room || pool->slots[slot].state != OUT)
		return;
	pool->pending -= pool->slots[slot].pending;
	pool->slots[slot].pending = 0;
	pace_start(pool->pace, &pool->slots[slot].due);
}

void
pool_unknown(struct pool *pool)
{
	long slot;

	pace_start(pool->pace, &pool->unknown);
	for (slot = 0; slot < pool->room; slot++)
		pool->slots[slot].due = pool->unknown;
}

long long
pool_slot_left(const struct pool *pool, long slot)
{
	return pace_left(pool->pace, pool->slots[slot].due);
}

long long
pool_left(const struct pool *pool)
{
	long long left = -1;
	long slot;

	if (!pace_on(pool->pace) || (pool->pace->any > 0 && pool->pending > 0))
		return -1;
	for (slot = 1; slot < pool->room; slot++)
		if (pool->slots[slot].state == FREE && pool_rests(pool, slot))
			left = clock_sooner(left, pool_slot_left(pool, slot));
	return left;
}

long long
pool_rest(const struct pool *pool)
{
	long long rest = 0, left;
	long slot;

	for (slot = 1; pace_on(pool->pace) && slot < pool->room; slot++)
		if (pool->slots[slot].state == FREE && (left = pool_slot_left(pool, slot)) > rest)
			rest = left;
	return rest;
}

void
pool_home(struct pool *pool, long slot)
{
	if (pool->slots[slot].pending)
		pool_begun(pool, slot);
	pool->out--;
	if (pool->slots[slot].leaving) {
		pool->leaving--;
		withdraw(pool, slot);
	} else if (total(pool) >= pool->wanted) {
		withdraw(pool, slot);
	} else {
		set_free(pool, slot);
	}
}

const char *
pool_label(const struct pool *pool, long slot)
{
	return pool->slots[slot].label == NULL ? "" : pool->slots[slot].label;
}

void
pool_clear(struct pool *pool)
{
	long slot;

	for (slot = 1; slot < pool->room; slot++)
		free(pool->slots[slot].label);
	free(pool->slots);
	pool->slots = NULL;
	pool->room = pool->wanted = pool->free = pool->out = pool->leaving = pool->lowest = 0;
}
