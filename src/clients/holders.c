#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients.h"

enum {
	LINE = 4096, /* bytes of an answer, at most */
	KEEP = 3000  /* ms in which a shell opens its lease */
};

static long
next_of(const struct holders *holders, long slot)
{
	return holders->store->pool.slots[slot].next;
}

/* A shell that opens its lease too late makes a plain file of that name. */
static int
link_slot(int dir, const char *file, const char *name)
{
	if (linkat(dir, file, dir, name, 0) == 0)
		return 0;
	if (errno != EEXIST || unlinkat(dir, name, 0) != 0)
		return -1;
	return linkat(dir, file, dir, name, 0);
}

/* Gives the waiter's FIFO a name for each slot of the chain: 0, or -1. */
static int
name_slots(struct holders *holders, long chain, const struct party *who)
{
	int dir = holders->store->dir;
	char file[NAMES_FILE], name[NAMES_FILE];

	if (names_file(file, who->name) != 0)
		return -1;
	for (long slot = next_of(holders, chain); slot != 0; slot = next_of(holders, slot)) {
		names_holder(name, slot, who->name);
		if (link_slot(dir, file, name) != 0)
			return -1;
	}
	names_holder(name, chain, who->name);
	return renameat(dir, file, dir, name);
}

/* The client, perhaps one holder of several, has done with that chain. Names always go before our
   read end does: a shell that opens its lease too late, between the two, would wait for ever. */
static void
holders_home(struct holders *holders, long chain, const char *client)
{
	char name[NAMES_FILE];

	for (long slot = chain; slot != 0; slot = next_of(holders, slot)) {
		names_holder(name, slot, client);
		unlinkat(holders->store->dir, name, 0);
	}
	pool_all_home(&holders->store->pool, chain);
}

/* Writes the first line, and lines of that many slots of the chain, without those that follow its
   first: 0; -1: they do not fit. */
static int
write_slots(const struct holders *holders, char text[LINE], long slot, long count, long skip,
    const char *first, int labels)
{
	size_t used = (size_t)snprintf(text, LINE, "%s", first);

	for (; slot != 0 && count > 0 && used < LINE; slot = next_of(holders, slot), count--) {
		used += (size_t)snprintf(text + used, LINE - used, "%ld%s%s\n", slot,
		    labels ? " " : "", labels ? pool_label(&holders->store->pool, slot) : "");
		for (; skip > 0; skip--)
			slot = next_of(holders, slot);
	}
	return used < LINE ? 0 : -1;
}

/* If the answer is too long, labels are left out, then the path for a build. The rest fits, as
   clients.c lets no more in. */
static void
write_grant(const struct holders *holders, char text[LINE], long chain,
    const struct party *who, int build)
{
	const struct pool *pool = &holders->store->pool;
	char plain[64], first[LINE];
	int count = who->count;

	snprintf(plain, sizeof plain, "ok %d %ld%s\n", count, pool->wanted,
	    pace_on(pool->pace) ? " +" : "");
	if (build)
		snprintf(first, sizeof first, "ok %d %ld %.2000s/%ld.%s\n", count, pool->wanted,
		    holders->builds->path, chain, who->name);
	if (write_slots(holders, text, chain, count, 0, build ? first : plain, 1) != 0 &&
	    write_slots(holders, text, chain, count, 0, build ? first : plain, 0) != 0)
		write_slots(holders, text, chain, count, 0, plain, 0);
}

/* In the chain of a build, tokens that nobody has taken follow the first. */
void
holders_tell(struct holders *holders, const char *asker, const char *client)
{
	const struct holder *holder = holders_find(holders, client);
	struct build *b = builds_find(holders->builds, client);
	long count, skip = 0;
	char text[LINE] = "no held\n", first[32], file[NAMES_FILE];

	if (holder != NULL) {
		count = holder->who.count;
		if (b != NULL) {
			skip = builds_unread(holders->builds, b);
			count = 1 + b->given - skip;
		}
		count = count > MOST_AT_ONCE ? MOST_AT_ONCE : count;
		snprintf(first, sizeof first, "ok %ld\n", count);
		if (write_slots(holders, text, holder->slot, count, skip, first, 1) != 0)
			write_slots(holders, text, holder->slot, count, skip, first, 0);
	}
	if (names_file(file, asker) == 0)
		names_answer(holders->store->dir, file, text, &holders->store->spare);
}

/* The slots of that chain begin now (pace.c). */
static void
begin_slots(struct holders *holders, long slot)
{
	for (; slot != 0; slot = next_of(holders, slot))
		pool_begin(&holders->store->pool, slot);
}

static void
enter_holder(struct holders *holders, const struct party *who, long chain, int fd, int keep)
{
	struct holder *holder = holders->list + fd;

	*holder = (struct holder){.who = *who, .slot = chain, .keep = keep, .since = clock_now()};
	holder->until = holder->since + KEEP;
	if (who->shell)
		holder->who.pid = 0; /* the asker has gone by now */
	holders->kept += keep >= 0;
}

/* Makes room for a holder, and watches its lease: 0, or -1. */
static int
make_room(struct holders *holders, int fd)
{
	struct holder *bigger = room_for(holders->list, &holders->room, (size_t)fd + 1,
	    sizeof *bigger);

	if (bigger == NULL)
		return -1;
	holders->list = bigger;
	return news_add(holders->store->news, fd, POLLHUP);
}

/* Every step that may fail comes before the last byte of the answer. */
int
holders_grant(struct holders *holders, const struct party *who, long chain, int fd, int answer)
{
	char text[LINE];
	int named, build;

	if (chain == 0 || make_room(holders, fd) != 0) {
		holders_home(holders, chain, who->name);
		return -1;
	}
	named = name_slots(holders, chain, who) == 0;
	build = named && who->build && builds_begin(holders->builds, chain, who) == 0;
	write_grant(holders, text, chain, who, build);
	if (!named || names_say(answer, text) != 0) {
		if (build)
			builds_end(holders->builds, who->name);
		holders_home(holders, chain, who->name);
		news_forget(holders->store->news, fd);
		return -1;
	}
	enter_holder(holders, who, chain, fd, who->shell ? answer : -1);
	if (!who->shell)
		close(answer);
	return 0;
}

/* Its shell has opened the lease by now. */
static void
let_go_lease(struct holders *holders, struct holder *holder)
{
	if (holder->keep < 0)
		return;
	descriptors_close(&holder->keep);
	holders->kept--;
	begin_slots(holders, holder->slot);
}

static int
is_kept(const struct holder *holder)
{
	return holder->slot != 0 && holder->keep >= 0;
}

struct holder *
holders_find(const struct holders *holders, const char *client)
{
	for (size_t fd = 0; fd < holders->room; fd++)
		if (holders->list[fd].slot != 0 && strcmp(holders->list[fd].who.name, client) == 0)
			return holders->list + fd;
	return NULL;
}

void
holders_heard(struct holders *holders, const char *client)
{
	const struct holder *holder = holders_find(holders, client);

	if (holder != NULL && holder->keep >= 0)
		news_change(holders->store->news, (int)(holder - holders->list), POLLIN | POLLHUP);
}

void
holders_begin(struct holders *holders, const char *client, long slot)
{
	const struct holder *holder = holders_find(holders, client);
	long held = holder == NULL ? 0 : holder->slot;

	while (held != 0 && held != slot)
		held = next_of(holders, held);
	if (held != 0)
		begin_slots(holders, holder->slot);
}

void
holders_pid(struct holders *holders, const char *client, long pid)
{
	struct holder *holder = holders_find(holders, client);

	if (holder != NULL)
		holder->who.pid = pid;
}

long long
holders_wait_ms(const struct holders *holders)
{
	long long wait = -1;

	for (size_t fd = 0; holders->kept > 0 && fd < holders->room; fd++)
		if (is_kept(holders->list + fd))
			wait = clock_sooner(wait, clock_wait_ms(holders->list[fd].until));
	return wait;
}

void
holders_tick(struct holders *holders)
{
	for (size_t fd = 0; holders->kept > 0 && fd < holders->room; fd++)
		if (is_kept(holders->list + fd) && clock_wait_ms(holders->list[fd].until) == 0)
			let_go_lease(holders, holders->list + fd);
}

void
holders_each(const struct holders *holders, const struct holder **by_slot)
{
	for (size_t fd = 0; fd < holders->room; fd++)
		for (long slot = holders->list[fd].slot; slot != 0; slot = next_of(holders, slot))
			by_slot[slot] = holders->list + fd;
}

/* 1 if nobody has the lease open any more: the news may be of a descriptor that had the same number
   a moment ago. */
static int
is_closed(int fd)
{
	return descriptors_poll(fd, 0, 0) & (POLLHUP | POLLERR);
}

/* The last byte of the holder, C, tells that it came to its end, and a number before that the exit
   status of its command. */
static struct use
count_return(struct holders *holders, int fd)
{
	const struct holder *holder = holders->list + fd;
	struct use use = {.command = holder->who.command};
	char block[LINE + 1], last = 0, *digits;
	ssize_t n;

	while ((n = read(fd, block, LINE)) > 0) {
		last = block[n - 1];
		block[n - 1] = '\0';
		for (digits = block + n - 1; digits > block && digits[-1] >= '0' &&
		    digits[-1] <= '9'; digits--)
			;
		use.status = (int)strtol(digits, NULL, 10) % 256;
	}
	use.killed = !holder->who.silent && last != 'C';
	if (use.killed)
		holders->store->recovered++;
	else
		holders->store->returned++;
	return use;
}

static int
is_lent(const struct holders *holders, const struct holder *holder)
{
	long slot = holder->slot;

	while (slot != 0 && !store_lent(holders->store, holder->who.name, slot))
		slot = next_of(holders, slot);
	return slot != 0;
}

/* Gives each name of the lease another suffix, or removes it (NULL). How many there were. */
static int
rename_slots(const struct holders *holders, const struct holder *holder, const char *from,
    const char *to)
{
	char name[NAMES_FILE], old[NAMES_FILE + sizeof NAMES_GOING], new[sizeof old];
	int dir = holders->store->dir, count = 0;

	for (long slot = holder->slot; slot != 0; slot = next_of(holders, slot)) {
		names_holder(name, slot, holder->who.name);
		snprintf(old, sizeof old, "%s%s", name, from);
		snprintf(new, sizeof new, "%s%s", name, to == NULL ? "" : to);
		count += (to == NULL ? unlinkat(dir, old, 0) : renameat(dir, old, dir, new)) == 0;
	}
	return count;
}

/* A borrower, who need not have inherited the lease, may open it at any moment by its name. So the
   name goes first, and then we look again. A token that is given back early while it is lent comes
   home when its lease is closed. */
static int
stays_out(struct holders *holders, int fd)
{
	struct holder *holder = holders->list + fd;
	int out;

	if (rename_slots(holders, holder, "", NAMES_GOING) == 0)
		return 0;
	out = !is_closed(fd) && (!holder->early || is_lent(holders, holder));
	rename_slots(holders, holder, NAMES_GOING, out ? "" : NULL);
	holder->early = 0;
	return out;
}

static void
come_home(struct holders *holders, int fd)
{
	struct holder *holder = holders->list + fd;
	long chain = holder->slot;
	struct use use;

	if (stays_out(holders, fd))
		return;
	let_go_lease(holders, holder);
	use = count_return(holders, fd);
	builds_end(holders->builds, holder->who.name);
	for (long slot = chain; slot != 0; slot = next_of(holders, slot))
		store_used(holders->store, slot, use);
	free(holder->who.command);
	holder->slot = 0;
	holders_home(holders, chain, holder->who.name);
	names_forget_loans(holders->store->dir, holder->who.name);
	news_drop(holders->store->news, &fd);
}

int
holders_event(struct holders *holders, int fd, short events)
{
	struct holder *holder;
	char text[LINE];
	ssize_t n;

	if ((size_t)fd >= holders->room || holders->list[fd].slot == 0)
		return 0;
	holder = holders->list + fd;
	if (is_closed(fd))
		come_home(holders, fd);
	else if ((events & POLLIN) && (n = read(fd, text, sizeof text)) > 0) {
		holder->early |= holder->who.shell && memchr(text, 'C', (size_t)n) != NULL;
		if (memchr(text, '+', (size_t)n) != NULL) { /* it is open there, or begins again */
			let_go_lease(holders, holder);
			begin_slots(holders, holder->slot);
		}
	}
	if (holder->slot != 0 && holder->early)
		come_home(holders, fd);
	return 1;
}

int
holders_enter(struct holders *holders, const struct party *who, long chain, int fd)
{
	if (make_room(holders, fd) != 0)
		return -1;
	enter_holder(holders, who, chain, fd, -1);
	return 0;
}

void
holders_close(struct holders *holders)
{
	for (size_t fd = 0; fd < holders->room; fd++)
		if (holders->list[fd].slot != 0) {
			let_go_lease(holders, holders->list + fd);
			builds_end(holders->builds, holders->list[fd].who.name);
			free(holders->list[fd].who.command);
			close((int)fd);
		}
	free(holders->list);
	holders->list = NULL;
	holders->room = 0;
}
