#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients.h"

enum {
	PIPE_FULL = 65536 /* bytes at one look: a client that writes all the time cannot keep us */
};

/* Tokens are links of this file, as it, unlike a lease, is ours: on some systems nobody may link
   the files of others. */
static void
file_name(char name[NAMES_FILE], const struct build *b, const char *suffix)
{
	snprintf(name, NAMES_FILE, "%ld.%s%s", b->slot, b->who.name, suffix);
}

/* Where the first token given to it is kept. */
static long *
chain_of(const struct builds *builds, const struct build *b)
{
	return &builds->store->pool.slots[b->slot].next;
}

/* Where the slot that leaves next is kept. Given tokens follow the first in the holder's chain, the
   build's own come last. A slot that is to be withdrawn leaves first, and then one that no job
   borrows. */
static long *
next_to_leave(const struct builds *builds, const struct build *b)
{
	const struct pool *pool = &builds->store->pool;
	long *at = chain_of(builds, b), *found = NULL;

	for (long i = b->given - b->reserved; i > 0 && (found == NULL || pool->leaving > 0); i--) {
		if (pool->slots[*at].leaving)
			return at;
		if (found == NULL && !store_lent(builds->store, b->who.name, *at))
			found = at;
		at = &pool->slots[*at].next;
	}
	return found != NULL ? found : chain_of(builds, b);
}

/* Takes a slot out of its chain, and removes its name. */
static void
one_home(struct builds *builds, struct build *b)
{
	struct pool *pool = &builds->store->pool;
	long *at = next_to_leave(builds, b), slot = *at;
	char name[NAMES_FILE];

	*at = pool->slots[slot].next;
	b->given--;
	names_token(name, slot, b->who.name);
	unlinkat(builds->store->dir, name, 0);
	store_used(builds->store, slot, (struct use){.command = b->who.command});
	pool_home(pool, slot);
}

static void
join(struct builds *builds, struct build *b, long slot)
{
	builds->store->pool.slots[slot].next = *chain_of(builds, b);
	*chain_of(builds, b) = slot;
	b->given++;
}

/* Gives a further slot its name before the build is told: if we die between the two, the next
   dispenser finds the token with the build. */
static int
one_more(struct builds *builds, struct build *b)
{
	struct store *store = builds->store;
	char name[NAMES_FILE], offers[NAMES_FILE];
	long slot = pool_take(&store->pool);

	if (slot == 0)
		return -1;
	file_name(offers, b, NAMES_OFFERS);
	names_token(name, slot, b->who.name);
	if (linkat(store->dir, offers, store->dir, name, 0) != 0) {
		pool_home(&store->pool, slot);
		return -1;
	}
	join(builds, b, slot);
	store->pool.slots[slot].lies = 1;
	return 0;
}

void
builds_give(struct builds *builds, struct build *b, long count)
{
	long linked = 0, told;

	while (linked < count && one_more(builds, b) == 0)
		linked++;
	for (told = bytes_put(b->into, linked); told < linked; told++)
		one_home(builds, b);
	if (b->lying < 0)
		b->lying = clock_now();
}

/* A byte that a broken client gave back too often is no token. */
long
builds_take(struct builds *builds, struct build *b, long count)
{
	long may = b->given - b->reserved, i, got;

	got = bytes_draw(b->offers, count < may ? count : may);
	for (i = 0; i < got; i++)
		one_home(builds, b);
	return got;
}

/* Takes tokens returned by descriptor, no more than were taken. The build's own stay with it. */
static void
take_returns(struct builds *builds, struct build *b)
{
	long got = bytes_draw(b->returns, PIPE_FULL), taken;

	if (got > 0 && got > (taken = b->given - bytes_counted(b->offers, b->into)))
		got = taken;
	for (; got > 0 && b->given > b->reserved; got--)
		one_home(builds, b);
	if (got > 0)
		bytes_put(b->into, got);
}

struct build *
builds_find(const struct builds *builds, const char *client)
{
	struct build *b;

	for (b = builds->list; b != NULL && strcmp(b->who.name, client) != 0; b = b->next)
		;
	return b;
}

/* Forgets it, and removes the names of its FIFOs, unless they stay. Keeps errno. */
static void
drop_build(struct builds *builds, struct build *b, int names_stay)
{
	struct build **at;
	char name[NAMES_FILE];
	int saved = errno;

	for (at = &builds->list; *at != b; at = &(*at)->next)
		;
	*at = b->next;
	file_name(name, b, NAMES_OFFERS);
	if (!names_stay)
		unlinkat(builds->store->dir, name, 0);
	file_name(name, b, NAMES_RETURNS);
	if (!names_stay)
		unlinkat(builds->store->dir, name, 0);
	news_drop(builds->store->news, &b->offers);
	news_drop(builds->store->news, &b->returns);
	descriptors_close(&b->into);
	free(b);
	errno = saved;
}

/* More unread tokens than were given can only be a client's mistake. */
void
builds_look(struct builds *builds)
{
	for (struct build *b = builds->list; b != NULL; b = b->next) {
		take_returns(builds, b);
		if ((b->unread = bytes_unread(b->offers)) > b->given)
			b->unread -= bytes_draw(b->offers, b->unread - b->given);
	}
}

void
builds_recall(struct builds *builds, long wanted)
{
	const struct pool *pool = &builds->store->pool;

	for (struct build *b = builds->list; b != NULL && pool_missing(pool, wanted) > 0;
	    b = b->next) {
		take_returns(builds, b);
		builds_take(builds, b, pool_missing(pool, wanted));
	}
}

int
builds_event(const struct builds *builds, int fd)
{
	const struct build *b;

	for (b = builds->list; b != NULL && fd != b->offers && fd != b->returns; b = b->next)
		;
	return b != NULL;
}

long
builds_unread(struct builds *builds, struct build *b)
{
	take_returns(builds, b);
	b->unread = bytes_counted(b->offers, b->into);
	return b->unread < b->given ? b->unread : b->given;
}

long
builds_offered(const struct build *b)
{
	long may = b->given - b->reserved;

	return b->unread < may ? b->unread : may;
}

/* All tokens of a build are alike: the offered ones are taken to be those given last. */
long
builds_count(struct builds *builds, char *by_slot)
{
	long all = 0, one;

	for (struct build *b = builds->list; b != NULL; b = b->next) {
		builds_unread(builds, b);
		one = *chain_of(builds, b);
		all += builds_offered(b);
		for (long i = builds_offered(b); i > 0; i--) {
			by_slot[one] = 1;
			one = builds->store->pool.slots[one].next;
		}
	}
	return all;
}

static struct build *
new_build(struct builds *builds, long slot, const struct party *who)
{
	struct build *b = calloc(1, sizeof *b);

	if (b == NULL)
		return NULL;
	b->who = *who;
	b->slot = slot;
	b->given = b->reserved = who->count - 1;
	b->offers = b->into = b->returns = -1;
	b->lying = -1;
	b->read = clock_now();
	b->next = builds->list;
	return builds->list = b;
}

/* Opens the FIFOs, which it makes before, or which exist: 0, or -1. */
static int
open_ends(struct builds *builds, struct build *b, int exist)
{
	const struct store *store = builds->store;
	char offers[NAMES_FILE], returns[NAMES_FILE];

	file_name(offers, b, NAMES_OFFERS);
	file_name(returns, b, NAMES_RETURNS);
	return (exist || (mkfifoat(store->dir, offers, (mode_t)store->mode) == 0 &&
	        mkfifoat(store->dir, returns, (mode_t)store->mode) == 0)) &&
	    (b->offers = names_open(store->dir, offers, O_RDONLY)) >= 0 &&
	    (b->into = names_open(store->dir, offers, O_WRONLY)) >= 0 &&
	    news_add(store->news, b->offers, 0) == 0 &&
	    (b->returns = names_open(store->dir, returns, O_RDONLY)) >= 0 &&
	    news_add(store->news, b->returns, POLLIN) == 0 ? 0 : -1;
}

int
builds_begin(struct builds *builds, long slot, const struct party *who)
{
	struct build *b = new_build(builds, slot, who);

	if (b != NULL && open_ends(builds, b, 0) == 0 &&
	    bytes_put(b->into, b->reserved) == b->reserved)
		return 0;
	if (b != NULL)
		drop_build(builds, b, 0);
	return -1;
}

/* All of its tokens are alike: those that were given last are taken to be the unread ones. */
static void
note_uses(struct builds *builds, struct build *b)
{
	struct slot *slots = builds->store->pool.slots;
	long unread = builds_unread(builds, b), slot = *chain_of(builds, b);

	for (long i = b->given - b->reserved; i > 0; i--, slot = slots[slot].next) {
		int lies = unread-- > 0;

		if (slots[slot].lies == lies)
			continue;
		store_used(builds->store, slot, (struct use){.command = b->who.command});
		slots[slot].lies = lies;
		slots[slot].since = clock_now();
	}
}

int
builds_note(struct builds *builds)
{
	if (builds->store->used == NULL)
		return 0;
	for (struct build *b = builds->list; b != NULL; b = b->next)
		note_uses(builds, b);
	return builds->list != NULL;
}

void
builds_end(struct builds *builds, const char *client)
{
	struct build *b = builds_find(builds, client);

	if (b != NULL && builds->store->used != NULL)
		note_uses(builds, b);
	while (b != NULL && b->given > b->reserved)
		one_home(builds, b);
	if (b != NULL)
		drop_build(builds, b, 0);
}

int
builds_reopen(struct builds *builds, long slot, const struct party *who)
{
	struct build *b = new_build(builds, slot, who);
	int unknown;

	if (b == NULL)
		return -1;
	if (open_ends(builds, b, 1) == 0)
		return 0;
	unknown = lease_unknown(errno);
	drop_build(builds, b, unknown);
	return unknown ? -1 : 0;
}

int
builds_regain(struct builds *builds, struct build *b, long slot)
{
	if (pool_adopt(&builds->store->pool, slot) != 0)
		return -1;
	join(builds, b, slot);
	builds->store->pool.slots[slot].lies = 1; /* until a look shows that it is taken */
	return 0;
}

void
builds_close(struct builds *builds)
{
	while (builds->list != NULL)
		drop_build(builds, builds->list, 0);
}
