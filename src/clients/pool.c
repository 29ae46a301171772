#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "clients.h"

static int
make_room(struct pool *pool, long slot)
{
	size_t before = pool->room;
	struct slot *bigger = room_for(pool->slots, &pool->room, (size_t)slot + 1, sizeof *bigger);

	if (bigger == NULL)
		return -1;
	pool->slots = bigger;
	for (; before < pool->room; before++)
		bigger[before].turn = pool->unknown;
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

static int
set_label(struct pool *pool, long slot, const char *label)
{
	if ((pool->slots[slot].label = strdup(label)) == NULL)
		return -1;
	pool->labelled += strlen(label) + LABEL_COST;
	return 0;
}

static void
withdraw(struct pool *pool, long slot)
{
	struct slot *s = pool->slots + slot;

	s->state = WITHDRAWN;
	s->leaving = 0;
	if (s->label != NULL)
		pool->labelled -= strlen(s->label) + LABEL_COST;
	free(s->label);
	s->label = NULL;
}

/* Those that leave are not counted: others may be given out in their place. */
static long
total(const struct pool *pool)
{
	return pool->free + pool->out - pool->leaving;
}

int
pool_resize(struct pool *pool, long wanted)
{
	long slot;

	if (make_room(pool, wanted + pool->leaving) != 0) /* those that leave take no place */
		return -1;
	pool->wanted = wanted;
	for (slot = 1; slot < (long)pool->room && total(pool) < wanted; slot++)
		if (pool->slots[slot].state == WITHDRAWN)
			set_free(pool, slot);
	slot = (long)pool->room - 1;
	for (; slot > 0 && pool->free > 0 && total(pool) > wanted; slot--)
		if (pool->slots[slot].state == FREE) {
			pool->free--;
			withdraw(pool, slot);
		}
	return 0;
}

/* The lowest slot that is withdrawn can be used anew. */
int
pool_add(struct pool *pool, const char *label)
{
	long slot = 1;

	if (pool->labelled + strlen(label) + LABEL_COST > MOST_LABELS) {
		errno = ENOSPC;
		return -1;
	}
	while (slot < (long)pool->room && pool->slots[slot].state != WITHDRAWN)
		slot++;
	if (make_room(pool, slot) != 0 || set_label(pool, slot, label) != 0)
		return -1;
	pool->wanted++;
	set_free(pool, slot);
	return 0;
}

int
pool_drop(struct pool *pool, const char *label)
{
	for (long slot = 1; slot < (long)pool->room; slot++) {
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
	if (make_room(pool, count) != 0)
		return -1;
	for (long i = 0; i < count; i++)
		if (set_label(pool, i + 1, labels[i]) != 0)
			return -1;
	return 0;
}

void
pool_inherit(struct pool *pool)
{
	pace_begin(pool->pace, &pool->unknown);
	for (long slot = 0; slot < (long)pool->room; slot++)
		pool->slots[slot].turn = pool->unknown;
}

/* In a pool that was made smaller, more tokens may be out than there are to be. Slots added since
   are free, but are not given out until enough of those are home. */
static long
room_in(const struct pool *pool)
{
	return pool->wanted - (pool->out - pool->leaving);
}

long
pool_spare(const struct pool *pool)
{
	long room = room_in(pool), rested = pool->free, slot;

	if (pace_on(pool->pace))
		for (rested = 0, slot = 1; slot < (long)pool->room; slot++)
			rested += pool->slots[slot].state == FREE &&
			    pool_slot_wait_ms(pool, slot) == 0;
	return room < 0 ? 0 : room < rested ? room : rested;
}

long
pool_missing(const struct pool *pool, long count)
{
	long room = room_in(pool);

	if (count <= room)
		return 0;
	return room < 0 && count > LONG_MAX + room ? LONG_MAX : count - room;
}

/* When several are taken together, each but the first waits only for its own slot. */
static int
can_take(const struct pool *pool, long slot)
{
	const struct slot *s = pool->slots + slot;

	return s->state == FREE && (pool->pace->each == 0 || s->turn.due <= pool->looked);
}

/* A slot that rests may be below the one that is taken. */
long
pool_take(struct pool *pool)
{
	long slot = pool->lowest < 1 ? 1 : pool->lowest;

	if (pool->free == 0)
		return 0;
	while (slot < (long)pool->room && pool->slots[slot].state != FREE)
		slot++;
	pool->lowest = slot;
	while (slot < (long)pool->room && !can_take(pool, slot))
		slot++;
	if (slot == (long)pool->room)
		return 0;
	pool->slots[slot].state = OUT;
	pool->slots[slot].next = 0;
	pool->slots[slot].since = clock_now();
	pool->slots[slot].lies = 0;
	pace_out(pool->pace, &pool->slots[slot].turn);
	pool->free--;
	pool->out++;
	return slot;
}

void
pool_begin(struct pool *pool, long slot)
{
	if (slot > 0 && slot < (long)pool->room && pool->slots[slot].state == OUT)
		pace_begin(pool->pace, &pool->slots[slot].turn);
}

long long
pool_slot_wait_ms(const struct pool *pool, long slot)
{
	const struct pace *pace = pool->pace;
	long long due = pool->slots[slot].turn.due;

	if (pace->any > 0 && pace->pending > 0)
		return -1;
	if (due < pace->due)
		due = pace->due;
	return due > pool->looked ? due - pool->looked : 0;
}

long long
pool_wait_ms(const struct pool *pool)
{
	long long soonest = -1, wait;

	for (long slot = 1; pace_on(pool->pace) && slot < (long)pool->room; slot++)
		if (pool->slots[slot].state == FREE && (wait = pool_slot_wait_ms(pool, slot)) > 0)
			soonest = clock_sooner(soonest, wait);
	return soonest;
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
	pool->slots[slot].since = clock_now();
	pool->out++;
	return 0;
}

void
pool_home(struct pool *pool, long slot)
{
	pace_home(pool->pace, &pool->slots[slot].turn);
	pool->out--;
	if (pool->slots[slot].leaving)
		pool->leaving--;
	else if (total(pool) < pool->wanted) {
		set_free(pool, slot);
		return;
	}
	withdraw(pool, slot);
}

void
pool_all_home(struct pool *pool, long chain)
{
	for (long next; chain != 0; chain = next) {
		next = pool->slots[chain].next;
		pool_home(pool, chain);
	}
}

long
pool_take_all(struct pool *pool, long count)
{
	long chain = 0, slot;

	for (; count > 0 && (slot = pool_take(pool)) != 0; count--) {
		pool->slots[slot].next = chain;
		chain = slot;
	}
	if (count == 0)
		return chain;
	pool_all_home(pool, chain);
	return 0;
}

const char *
pool_label(const struct pool *pool, long slot)
{
	const char *label = pool->slots[slot].label;

	return label == NULL ? "" : label;
}

void
pool_clear(struct pool *pool)
{
	for (long slot = 1; slot < (long)pool->room; slot++)
		free(pool->slots[slot].label);
	free(pool->slots);
	*pool = (struct pool){0};
}
