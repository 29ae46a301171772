#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lease/lease.h"
#include "../lease/names.h"
#include "../lib/clock.h"
#include "../lib/hangup.h"
#include "../lib/news.h"
#include "../lib/pace.h"
#include "clients.h"
#include "holders.h"

enum {
	LINE = 4096, /* bytes of an answer, at most */
	KEEP = 3000  /* ms in which a shell opens its lease */
};

static int
know_holder(struct clients *c, int fd)
{
	struct holder *bigger;
	size_t room = (size_t)fd + (size_t)fd / 2 + 16;

	if ((size_t)fd < c->room)
		return 0;
	if ((bigger = realloc(c->holders, room * sizeof *bigger)) == NULL)
		return -1;
	memset(bigger + c->room, 0, (room - c->room) * sizeof *bigger);
	c->holders = bigger;
	c->room = room;
	return 0;
}

int
holders_know_slot(struct clients *c, long slot)
{
	long *bigger, room = slot + slot / 2 + 16;

	if (slot < c->slots_room)
		return 0;
	if ((bigger = realloc(c->next_slot, (size_t)room * sizeof *bigger)) == NULL)
		return -1;
	c->next_slot = bigger;
	c->slots_room = room;
	return 0;
}

static void
slot_name(char name[LEASE_NAME], long slot)
{
	snprintf(name, LEASE_NAME, "%ld", slot);
}

/* Its names go before our read end does, here and elsewhere: a shell that opens its lease
   too late, between the two, would wait for ever. */
static void
unlink_slots(const struct clients *c, long slot)
{
	char name[LEASE_NAME];

	for (; slot != 0; slot = c->next_slot[slot]) {
		slot_name(name, slot);
		unlinkat(c->dir, name, 0);
	}
}

/* The chain of slots comes home. */
static void
slots_home(struct clients *c, long slot)
{
	long next;

	unlink_slots(c, slot);
	for (; slot != 0; slot = next) {
		next = c->next_slot[slot];
		pool_home(&c->pool, slot);
	}
}

/* A shell that opens its lease too late makes a plain file of that name. */
static int
link_slot(const struct clients *c, const char *file, const char *name)
{
	if (linkat(c->dir, file, c->dir, name, 0) == 0)
		return 0;
	if (errno != EEXIST || unlinkat(c->dir, name, 0) != 0)
		return -1;
	return linkat(c->dir, file, c->dir, name, 0);
}

/* A chain of slots that carry the name of the request's FIFO, or 0. */
static long
take_slots(struct clients *c, const char *file, int count)
{
	char name[LEASE_NAME];
	long chain = 0, slot;

	while (count-- > 0) {
		slot = pool_take(&c->pool);
		if (slot == 0 || holders_know_slot(c, slot) != 0) {
			if (slot != 0)
				pool_home(&c->pool, slot);
			break;
		}
		slot_name(name, slot);
		c->next_slot[slot] = chain;
		chain = slot;
		if (count == 0 ? renameat(c->dir, file, c->dir, name) != 0
		               : link_slot(c, file, name) != 0)
			break;
		if (count == 0)
			return chain;
	}
	slots_home(c, chain);
	return 0;
}

static int
append(char *text, size_t *used, const char *line)
{
	size_t length = strlen(line);

	if (*used + length >= LINE)
		return -1;
	memcpy(text + *used, line, length + 1);
	*used += length;
	return 0;
}

/* All of it: 0, or -1 when it does not fit. */
static int
write_answer(const struct clients *c, char text[LINE], long chain, const char *first, int labels)
{
	char line[LINE];
	size_t used = 0;
	long slot;

	if (append(text, &used, first) != 0)
		return -1;
	for (slot = chain; slot != 0; slot = c->next_slot[slot]) {
		snprintf(line, sizeof line, "%ld%s%s\n", slot, labels ? " " : "",
		    labels ? pool_label(&c->pool, slot) : "");
		if (append(text, &used, line) != 0)
			return -1;
	}
	return 0;
}

/* "ok COUNT" and the slots; with a '+' where we want to hear of the start. Where they are too long without the labels, and so is the
   path for a build without these, the rest fits: clients.c does not let more in. */
static void
write_grant(const struct clients *c, char text[LINE], long chain, int count, int build)
{
	char plain[32], first[LINE];

	snprintf(plain, sizeof plain, "ok %d%s\n", count, pace_on(c->pool.pace) ? " +" : "");
	if (build)
		snprintf(first, sizeof first, "ok %d %ld %.2000s/%ld\n", count, c->pool.wanted, c->builds_path,
		    chain);
	if (write_answer(c, text, chain, build ? first : plain, 1) != 0 &&
	    write_answer(c, text, chain, build ? first : plain, 0) != 0)
		write_answer(c, text, chain, plain, 0);
}

static int
know_plain(struct clients *c, int count)
{
	long *bigger, room = c->plain_room * 2 + count;

	if (c->plain_count + count <= c->plain_room)
		return 0;
	if ((bigger = realloc(c->plain, (size_t)room * sizeof *bigger)) == NULL)
		return -1;
	c->plain = bigger;
	c->plain_room = room;
	return 0;
}

static void
count_grant(struct clients *c, const struct waiter *waiter)
{
	unsigned long long waited = (unsigned long long)(clock_now() - waiter->asked);

	c->granted++;
	c->waited += waited;
	if (waited > c->longest)
		c->longest = waited;
}

void
holders_begun(struct clients *c, long slot)
{
	for (; slot > 0 && slot < c->slots_room; slot = c->next_slot[slot])
		pool_begun(&c->pool, slot);
}

/* Should its tokget be killed, nobody would ever say that it has begun. */
static void
hold_plain(struct clients *c, long chain)
{
	long slot;

	for (slot = chain; slot != 0; slot = c->next_slot[slot])
		c->plain[c->plain_count++] = slot;
	holders_begun(c, chain);
}

static void
hold(struct clients *c, const struct waiter *waiter, long chain, int fd, int keep)
{
	struct holder *holder = c->holders + fd;

	holder->slot = chain;
	holder->pid = waiter->pid;
	holder->silent = waiter->silent;
	holder->last = '\0';
	holder->since = clock_now();
	holder->keep = keep;
	holder->until = holder->since + KEEP;
	c->kept += keep >= 0;
}

/* Whatever may fail comes before the last byte of the answer. */
int
holders_grant(struct clients *c, const struct waiter *waiter, int fd, int answer)
{
	char file[NAMES_FILE], text[LINE];
	long chain;
	int build;

	if (names_file(file, waiter->name) != 0 || know_holder(c, fd) != 0 ||
	    know_plain(c, waiter->count) != 0 || (!waiter->plain && news_add(c->news, fd, POLLHUP) != 0))
		return -1;
	chain = take_slots(c, file, waiter->count);
	build = chain != 0 && waiter->build && builds_begin(c, fd, chain, waiter->count - 1) == 0;
	write_grant(c, text, chain, waiter->count, build);
	if (chain == 0 || names_say(answer, text) != 0) {
		if (build)
			builds_end(c, fd);
		slots_home(c, chain);
		if (!waiter->plain)
			news_remove(c->news, fd);
		return -1;
	}
	count_grant(c, waiter);
	if (waiter->plain) { /* nobody is to open its names */
		hold_plain(c, chain);
		unlink_slots(c, chain);
		close(fd);
	} else {
		hold(c, waiter, chain, fd, waiter->kept ? answer : -1);
	}
	if (waiter->plain || !waiter->kept)
		close(answer);
	return 0;
}

void
holders_let_go(struct clients *c, int fd)
{
	struct holder *holder = c->holders + fd;

	if (holder->keep < 0)
		return;
	close(holder->keep);
	holder->keep = -1;
	c->kept--;
	holders_begun(c, holder->slot);
}

void
holders_opened(struct clients *c, int fd)
{
	holders_let_go(c, fd);
	holders_begun(c, c->holders[fd].slot);
}

long long
holders_patience(const struct clients *c)
{
	long long now = clock_now(), least = -1, left;
	size_t fd;

	for (fd = 0; c->kept > 0 && fd < c->room; fd++) {
		if (c->holders[fd].slot == 0 || c->holders[fd].keep < 0)
			continue;
		left = c->holders[fd].until - now;
		if (least < 0 || left < least)
			least = left < 0 ? 0 : left;
	}
	return least;
}

void
holders_tick(struct clients *c)
{
	size_t fd;

	for (fd = 0; c->kept > 0 && fd < c->room; fd++)
		if (c->holders[fd].slot != 0 && c->holders[fd].keep >= 0 &&
		    c->holders[fd].until <= clock_now())
			holders_let_go(c, (int)fd);
}

/* What the holder wrote last tells whether it came to its end. */
static void
count_return(struct clients *c, int fd)
{
	char block[LINE], last = c->holders[fd].last;
	ssize_t n;

	while ((n = read(fd, block, sizeof block)) > 0)
		last = block[n - 1];
	if (c->holders[fd].silent || last == 'C')
		c->returned++;
	else
		c->recovered++;
}

/* One lease may have several names: a holder of several tokens. */
static int
adopted_before(const struct clients *c, const struct stat *st)
{
	struct stat there;
	size_t fd;

	for (fd = 0; fd < c->room; fd++)
		if (c->holders[fd].slot != 0 && fstat((int)fd, &there) == 0 &&
		    there.st_dev == st->st_dev && there.st_ino == st->st_ino)
			return (int)fd;
	return -1;
}

/* To find out whether it is held costs what is in it: perhaps the answer that
   its holder has still to read. So that is put back. Where there is none, it was read,
   or has never been written: who had the name before us may have died in between. */
static int
still_held(const struct clients *c, int fd, const char *name)
{
	char text[LINE];
	struct lease lease = {0};
	ssize_t n = read(fd, text, sizeof text - 1);

	lease.fd = fd;
	if (n < 0)
		names_answer(c->dir, name, NAMES_AGAIN);
	if (n <= 0)
		return n < 0;
	text[n] = '\0';
	if (!lease_held(&lease))
		return 0;
	names_answer(c->dir, name, text);
	return 1;
}

/* Others may have put anything there: what cannot be opened is no lease of ours. */
int
holders_adopt(struct clients *c, const char *name, long slot)
{
	struct stat st;
	int fd = names_open(c->dir, name, O_RDONLY), before;

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -1 : 0;
	if (fstat(fd, &st) != 0 || !still_held(c, fd, name)) {
		unlinkat(c->dir, name, 0);
		close(fd);
		return 0;
	}
	if (holders_know_slot(c, slot) != 0 || pool_adopt(&c->pool, slot) != 0) {
		close(fd);
		return errno == EEXIST ? 0 : -1;
	}
	if ((before = adopted_before(c, &st)) >= 0) {
		close(fd);
		c->next_slot[slot] = c->holders[before].slot;
		c->holders[before].slot = slot;
		return 0;
	}
	if (know_holder(c, fd) != 0 || news_add(c->news, fd, POLLHUP) != 0)
		return -1;
	c->next_slot[slot] = 0;
	c->holders[fd].slot = slot;
	c->holders[fd].silent = 1;
	c->holders[fd].last = '\0';
	c->holders[fd].keep = -1;
	c->holders[fd].since = clock_now();
	return 0;
}

int
holders_return(struct clients *c)
{
	long slot;

	if (c->plain_count == 0)
		return -1;
	slot = c->plain[0];
	memmove(c->plain, c->plain + 1, (size_t)--c->plain_count * sizeof *c->plain);
	c->next_slot[slot] = 0;
	slots_home(c, slot);
	c->returned++;
	return 0;
}

int
holders_know(const struct clients *c, int fd)
{
	return (size_t)fd < c->room && c->holders[fd].slot != 0;
}

#ifndef POLL_NO_HANGUP
int
holders_closed(struct clients *c, int fd)
{
	struct pollfd now = {0};

	(void)c;
	now.fd = fd;
	return poll(&now, 1, 0) > 0 && (now.revents & (POLLHUP | POLLERR));
}
#else
/* Only read(2) knows, and what is unread comes before its end. Letters are kept in
   mind; lines are an answer that its asker has still to read, and put back. */
int
holders_closed(struct clients *c, int fd)
{
	char text[LINE + 1], name[LEASE_NAME];
	ssize_t n = read(fd, text, LINE);

	if (n <= 0)
		return n == 0;
	text[n] = '\0';
	c->holders[fd].last = text[n - 1];
	if (memchr(text, '\n', (size_t)n) == NULL) {
		if (memchr(text, '+', (size_t)n) != NULL)
			holders_opened(c, fd);
		return holders_closed(c, fd);
	}
	slot_name(name, c->holders[fd].slot);
	if (read(fd, text + LINE, 1) == 0)
		return 1;
	names_answer(c->dir, name, text);
	return 0;
}
#endif

void
holders_home(struct clients *c, int fd)
{
	long chain = c->holders[fd].slot;

	holders_let_go(c, fd);
	count_return(c, fd);
	builds_end(c, fd);
	c->holders[fd].slot = 0;
	news_remove(c->news, fd);
	slots_home(c, chain);
	close(fd);
}

void
holders_close(struct clients *c)
{
	size_t fd;

	for (fd = 0; fd < c->room; fd++)
		if (c->holders[fd].slot != 0) {
			holders_let_go(c, (int)fd);
			builds_end(c, (int)fd);
			close((int)fd);
		}
	free(c->holders);
	free(c->next_slot);
	free(c->plain);
	c->holders = NULL;
	c->room = 0;
}
