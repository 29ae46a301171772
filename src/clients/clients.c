#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../lease/jobserver.h"
#include "../lease/lease.h"
#include "../lease/names.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/news.h"
#include "../lib/number.h"
#include "clients.h"
#include "holders.h"
#include "report.h"
#include "shares.h"

enum {
	LINE = 4096,          /* bytes of a request, at most */
	MOST_WAITING = 100000,
	MOST_AT_ONCE = 500,   /* tokens of one request: the answer is one write */
	FRESH = 2,            /* seconds in which a client has opened its FIFO */
	SWEEP = 10000,        /* ms between two looks for what the killed left */
	ASK_AGAIN = 50,       /* ms between two tries to borrow several tokens */
	LOOK_AGAIN = 100,     /* and to open the FIFO of a client for which there was no descriptor */
	FEW = 100,            /* waiting, that a look at each costs little; */
	MANY = 1000           /* and at the request of somebody who looks himself */
};

/* Whoever asks waits for an answer: so a descriptor is kept back for it. */
void
clients_answer(struct clients *c, const char *file, const char *text)
{
	if (names_answer(c->dir, file, text) == 0 || (errno != EMFILE && errno != ENFILE))
		return;
	close(c->spare);
	names_answer(c->dir, file, text);
	c->spare = fcntl(c->dir, F_DUPFD_CLOEXEC, 0);
}

static void
refuse(struct clients *c, const struct waiter *waiter, const char *reason)
{
	char file[NAMES_FILE], text[64];

	snprintf(text, sizeof text, "no %s\n", reason);
	if (names_file(file, waiter->name) == 0)
		clients_answer(c, file, text);
}

/* For want of a descriptor or memory, which is no word about the FIFO. */
static int
could_not_look(void)
{
	return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
}

/* The read end of the request's FIFO, if its asker is alive, or -1. */
static int
open_asker(const struct clients *c, const char *file)
{
	struct lease lease = {0};

	lease.fd = names_open(c->dir, file, O_RDONLY);
	if (lease.fd < 0 || lease_held(&lease))
		return lease.fd;
	unlinkat(c->dir, file, 0);
	close(lease.fd);
	errno = ESRCH;
	return -1;
}

/* The write end as well, for the answer: nothing may be given to whom it cannot be
   told. */
static int
open_waiting(const struct clients *c, const struct waiter *waiter, int *answer)
{
	char file[NAMES_FILE];
	int fd, reason;

	names_file(file, waiter->name);
	if ((fd = open_asker(c, file)) < 0 || (*answer = names_open(c->dir, file, O_WRONLY)) >= 0)
		return fd;
	reason = errno;
	close(fd);
	errno = reason;
	return -1;
}

static int
is_dead(void *context, const struct waiter *waiter)
{
	char file[NAMES_FILE];
	int fd;

	names_file(file, waiter->name);
	if ((fd = open_asker(context, file)) < 0)
		return !could_not_look();
	close(fd);
	return 0;
}

static void
forget_head(struct clients *c)
{
	if (c->head >= 0) {
		news_remove(c->news, c->head);
		close(c->head);
	}
	c->head = -1;
}

/* It keeps the others waiting for tokens that are not free yet, but only while it
   lives: so its FIFO is watched. */
static void
wait_for_head(struct clients *c, int fd, int answer)
{
	close(answer); /* else we would hold it ourselves */
	c->head = fd;
	if (news_add(c->news, fd, POLLHUP) != 0)
		forget_head(c);
}

/* 1; or 0 when the request was refused: it wants more than there are to be, or
   went away just now. */
static int
grant(struct clients *c, const struct waiter *waiter, int fd, int answer)
{
	if (waiter->count <= clients_spare(c, waiter->count) && holders_grant(c, waiter, fd, answer) == 0)
		return 1;
	names_say(answer, "no many\n");
	close(answer);
	close(fd);
	return 0;
}

long
clients_spare(struct clients *c, long wanted)
{
	long spare = pool_spare(&c->pool), least, borrowed = 0;

	if (wanted < spare)
		spare = wanted;
	if (limits_reached(&c->limits)) {
		least = c->limits.least > c->pool.out ? c->limits.least - c->pool.out : 0;
		spare = least < spare ? least : spare;
	}
	if (!c->borrowing)
		return spare;
	while (borrowed < spare && jobserver_take(c->pool.out + borrowed))
		borrowed++;
	return borrowed;
}

/* What is not needed goes back to the parent. For one token more we wait; of several
   we keep a part only until we ask again, that others have their chance. */
static void
settle(struct clients *c)
{
	const struct waiter *first = waiters_first(&c->waiters);
	long spare;
	int fd = -1;

	if (!c->borrowing)
		return;
	spare = pool_spare(&c->pool);
	c->asked = clock_now();
	c->asking = first != NULL && first->count > 1 && first->count <= spare;
	if (!c->asking)
		jobserver_settle(c->pool.out);
	if (first != NULL && first->count == 1 && spare > 0)
		fd = jobserver_fd();
	if (fd == c->parent)
		return;
	if (c->parent >= 0)
		news_forget(c->news, c->parent);
	c->parent = fd >= 0 && news_add(c->news, fd, POLLIN) == 0 ? fd : -1;
}

/* Serves whom it can. */
static void
serve(struct clients *c)
{
	struct waiter *waiter;
	long spare;
	int fd, answer;

	forget_head(c);
	c->look = 0;
	pool_look(&c->pool);
	if (c->borrowing)
		jobserver_settle(c->pool.out); /* first back, that others have their chance */
	while ((waiter = waiters_first(&c->waiters)) != NULL) {
		builds_recall(c, waiter->count);
		if ((spare = clients_spare(c, waiter->count)) == 0)
			break;
		fd = open_waiting(c, waiter, &answer);
		if (fd < 0 && could_not_look()) { /* perhaps for want of those of others */
			c->look = clock_now() + LOOK_AGAIN;
			c->asking = 0;
			if (c->borrowing)
				jobserver_settle(c->pool.out);
			return;
		}
		if (fd >= 0 && waiter->count > spare && waiter->count <= c->pool.wanted) {
			wait_for_head(c, fd, answer);
			break;
		}
		waiters_take(&c->waiters, fd >= 0 && grant(c, waiter, fd, answer));
	}
	shares_balance(c);
	settle(c);
}

/* Those who gave up or were killed while nothing was free. Each costs a look: where
   many wait, only from time to time. */
static void
forget_dead(struct clients *c)
{
	if (c->waiters.count > MANY) {
		if (clock_now() - c->counted < SWEEP)
			return;
		c->counted = clock_now();
	}
	waiters_drop(&c->waiters, is_dead, c);
	serve(c); /* the first may be another now */
}

static int
is_it(void *context, const struct waiter *waiter)
{
	return strcmp(context, waiter->name) == 0;
}

/* For want of a descriptor, though a token is free. Then it does not any more. */
static int
still_waits(struct clients *c, const struct waiter *waiter)
{
	long before = c->waiters.count;

	waiters_drop(&c->waiters, is_it, (void *)waiter->name);
	return c->waiters.count < before;
}

static const char *
enqueue(struct clients *c, const struct waiter *waiter, int now)
{
	if (c->closing)
		return "closing";
	if (waiter->count > c->pool.wanted || waiter->count > MOST_AT_ONCE)
		return "many";
	if (c->waiters.count >= MOST_WAITING)
		forget_dead(c);
	if (c->waiters.count >= MOST_WAITING)
		return "room";
	serve(c); /* the dead are in nobody's way */
	builds_recall(c, waiter->count);
	if (now && (c->waiters.count > 0 || waiter->count > clients_spare(c, waiter->count)))
		return "busy";
	if (waiters_add(&c->waiters, waiter) != 0)
		return "room";
	serve(c);
	return now && still_waits(c, waiter) ? "busy" : NULL;
}

/* The write end of the FIFO of a client that waits, or -1. One that nobody has open
   is of a client that was killed, or has not come to open it: so it stays while it
   is fresh, and goes when it is out of its maker's reach and still nobody's. */
static int
open_held(const struct clients *c, const char *name)
{
	struct stat st;
	int fd = names_open(c->dir, name, O_WRONLY);

	if (fd >= 0 || errno != ENXIO || fstatat(c->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    time(NULL) - st.st_mtime < FRESH || renameat(c->dir, name, c->dir, NAMES_NOBODY) != 0)
		return fd;
	fd = names_open(c->dir, NAMES_NOBODY, O_WRONLY);
	if (fd < 0 && errno == ENXIO)
		unlinkat(c->dir, NAMES_NOBODY, 0);
	else
		renameat(c->dir, NAMES_NOBODY, c->dir, name);
	return fd;
}

static int
remove_stale(void *context, const char *name, long slot)
{
	int fd = slot != 0 ? -1 : open_held(context, name);

	if (fd >= 0)
		close(fd);
	return 0;
}

/* A client that is killed before it asks leaves its FIFO, of which nobody knows.
   From time to time, and only while few wait: it costs a look at each name. */
static void
sweep(struct clients *c)
{
	if (c->waiters.count > FEW || clock_now() - c->swept < SWEEP)
		return;
	names_each(c->dir, remove_stale, c);
	c->swept = clock_now();
}

/* "NAME COUNT PRIORITY FLAGS" */
static int
get(struct clients *c, char *text)
{
	struct waiter waiter = {0};
	char file[NAMES_FILE];
	char *name = strtok(text, " "), *count = strtok(NULL, " "), *priority = strtok(NULL, " "),
	     *flags = strtok(NULL, " ");
	const char *reason;
	long n, p;

	if (flags == NULL || strtok(NULL, " ") != NULL || names_file(file, name) != 0 ||
	    number_scan(count, 1, INT_MAX, &n) != 0 ||
	    number_scan(priority, 0, PRIORITIES - 1, &p) != 0)
		return -1;
	strcpy(waiter.name, name);
	waiter.pid = strtol(name, NULL, 10);
	waiter.count = (int)n;
	waiter.priority = (int)p;
	waiter.plain = strchr(flags, 'p') != NULL;
	waiter.kept = strchr(flags, 'l') != NULL;
	waiter.build = c->builds_path != NULL && !waiter.plain && strchr(flags, 'j') != NULL;
	waiter.silent = strchr(flags, 's') != NULL;
	waiter.asked = clock_now();
	sweep(c);
	reason = enqueue(c, &waiter, strchr(flags, 'n') != NULL);
	if (reason != NULL)
		refuse(c, &waiter, reason);
	return 0;
}

/* A shell that has opened its lease says '+'. Nothing is read there before its
   tokget has read the answer. */
static void
heard(struct clients *c, long slot)
{
	size_t fd;

	for (fd = 0; fd < c->room; fd++)
		if (c->holders[fd].slot == slot && c->holders[fd].keep >= 0)
			news_change(c->news, (int)fd, POLLIN | POLLHUP);
}

static void
hear_shell(struct clients *c, int fd)
{
	char block[LINE];
	ssize_t n = read(fd, block, sizeof block);

	if (n > 0 && memchr(block, '+', (size_t)n) != NULL)
		holders_opened(c, fd);
}

/* "NAME SLOT": what has that slot, and what came with it, starts now. */
static int
begun(struct clients *c, const char *text)
{
	const char *slot = strchr(text, ' ');
	long n;

	if (slot == NULL || number_scan(slot + 1, 1, INT_MAX, &n) != 0)
		return -1;
	holders_begun(c, n);
	return 0;
}

/* What builds have not taken is free. */
static int
resize(struct clients *c, long count)
{
	builds_recall(c, LONG_MAX);
	return pool_resize(&c->pool, count);
}

static void
share(struct clients *c, const char *file)
{
	char text[LINE];

	if (c->builds_path == NULL || builds_shared(c) != 0)
		snprintf(text, sizeof text, "no %s\n", c->builds_path == NULL ? "builds" : "room");
	else
		snprintf(text, sizeof text, "ok %ld %.2000s/jobserver\n", c->pool.wanted, c->builds_path);
	clients_answer(c, file, text);
}

int
clients_request(struct clients *c, const char *text, size_t length)
{
	char line[LINE], file[WAITER_NAME + 2];
	long n;

	if (length >= sizeof line || memchr(text, '\0', length) != NULL)
		return -1;
	memcpy(line, text, length);
	line[length] = '\0';
	if (strncmp(line, "get ", 4) == 0)
		return get(c, line + 4);
	if (strncmp(line, "size ", 5) == 0 && number_scan(line + 5, 1, MOST_TOKENS, &n) == 0) {
		if (resize(c, n) != 0)
			complain("%ld tokens:", n);
	} else if (strncmp(line, "add ", 4) == 0 && line[4] != '\0' && strlen(line + 4) <= 1000 &&
	    c->pool.wanted < MOST_TOKENS) {
		if (pool_add(&c->pool, line + 4) != 0)
			complain("slot %s:", line + 4);
	} else if (strncmp(line, "drop ", 5) == 0 && line[5] != '\0') {
		builds_recall(c, LONG_MAX);
		if (pool_drop(&c->pool, line + 5) != 0)
			complain("slot %s: no such label", line + 5);
	} else if (strncmp(line, "heard ", 6) == 0 && number_scan(line + 6, 1, INT_MAX, &n) == 0) {
		heard(c, n);
		return 0;
	} else if (strncmp(line, "begun ", 6) == 0) {
		if (begun(c, line + 6) != 0)
			return -1;
	} else if (strncmp(line, "share ", 6) == 0 && names_file(file, line + 6) == 0) {
		share(c, file);
	} else if (strncmp(line, "stat ", 5) == 0 && names_file(file, line + 5) == 0) {
		forget_dead(c);
		report_write(c, file);
		return 0;
	} else {
		return -1;
	}
	serve(c);
	return 0;
}

int
clients_event(struct clients *c, int fd, short events)
{
	if (fd != c->head && fd != c->parent && !builds_event(c, fd) && !report_event(c, fd, events)) {
		if (!holders_know(c, fd))
			return 0;
		if (holders_closed(c, fd))
			holders_home(c, fd);
		else if (events & POLLIN)
			hear_shell(c, fd);
	}
	serve(c);
	return 1;
}

int
clients_return(struct clients *c)
{
	if (holders_return(c) != 0)
		return -1;
	serve(c);
	return 0;
}

static long long
sooner(long long one, long long other)
{
	return one < 0 || (other >= 0 && other < one) ? other : one;
}

/* Of the first request: its FIFO could not be opened, or the parent had not so many. */
static long long
retry_patience(const struct clients *c)
{
	long long at = c->look, left;

	if (c->asking && (at == 0 || c->asked + ASK_AGAIN < at))
		at = c->asked + ASK_AGAIN;
	left = at - clock_now();
	return at == 0 ? -1 : left < 0 ? 0 : left;
}

/* Those who wait have time alone to wait for. */
static long long
pace_patience(const struct clients *c)
{
	return c->waiters.count > 0 ? pool_left(&c->pool) : -1;
}

/* To those who wait, and to builds, which may take tokens at any time. */
static int
limits_matter(const struct clients *c)
{
	return limits_set(&c->limits) && (c->waiters.count > 0 || c->builds != NULL);
}

long long
clients_patience(const struct clients *c)
{
	long long soonest = sooner(holders_patience(c), shares_patience(c));

	soonest = sooner(soonest, retry_patience(c));
	soonest = sooner(soonest, pace_patience(c));
	return limits_matter(c) ? sooner(soonest, limits_patience(&c->limits)) : soonest;
}

void
clients_tick(struct clients *c)
{
	holders_tick(c);
	if (shares_patience(c) == 0)
		shares_catch(c);
	if (shares_patience(c) == 0 || pace_patience(c) == 0 || retry_patience(c) == 0 ||
	    (limits_matter(c) && limits_patience(&c->limits) == 0))
		serve(c);
}

int
clients_busy(const struct clients *c)
{
	return c->pool.out > builds_idle(c) || c->waiters.count > 0;
}

static void
tell_closing(void *context, const struct waiter *waiter)
{
	refuse(context, waiter, "closing");
}

void
clients_stop(struct clients *c)
{
	c->closing = 1;
	forget_head(c);
	waiters_each(&c->waiters, tell_closing, c);
	waiters_clear(&c->waiters);
	shares_balance(c);
}

/* Who waits may not have seen that its dispenser died; the dead go. */
static int
adopt_name(void *context, const char *name, long slot)
{
	struct clients *c = context;
	int fd;

	if (slot < 0)
		return 0;
	if (slot > 0)
		return slot > MOST_TOKENS || builds_has(c, name) ? 0 : holders_adopt(c, name, slot);
	if ((fd = open_held(c, name)) >= 0) {
		/* what was taken out of its reach, it cannot withdraw */
		names_say(fd, strcmp(name, NAMES_NOBODY) == 0 ? NAMES_AGAIN : "no again\n");
		close(fd);
	}
	return 0;
}

int
clients_open(struct clients *c, struct news *news, int dir, long count, char **labels, long labelled,
    int inherited)
{
	c->news = news;
	c->dir = dir;
	c->head = c->parent = -1;
	c->swept = clock_now();
	c->counted = c->swept - SWEEP;
	c->spare = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	if (c->spare >= 0 && builds_remember(c) == 0 && names_each(dir, adopt_name, c) == 0 && builds_adopt(c) == 0 &&
	    resize(c, count) == 0 &&
	    pool_name(&c->pool, labels, labelled) == 0) {
		if (inherited)
			pool_unknown(&c->pool);
		serve(c);
		return 0;
	}
	complain("the tokens:");
	return -1;
}

void
clients_close(struct clients *c)
{
	clients_stop(c);
	report_close(c);
	names_remove(c->dir);
	holders_close(c);
	names_remove(c->dir); /* as slots_close does */
	builds_close(c);
	if (c->borrowing)
		jobserver_close();
	pool_clear(&c->pool);
	close(c->spare);
}
