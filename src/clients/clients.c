#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lease/jobserver.h"
#include "../lease/lease.h"
#include "../lease/names.h"
#include "../lease/words.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/news.h"
#include "../lib/number.h"
#include "../lib/room.h"
#include "clients.h"
#include "lending.h"
#include "remains.h"
#include "report.h"
#include "shares.h"

enum {
	LINE = 4096,          /* bytes of a request, at most */
	MOST_WAITING = 100000,
	SWEEP = 10000,        /* ms between two looks for what the killed left */
	LOOK_AGAIN = 100,     /* ms until the first one's FIFO is tried again */
	FEW = 100,            /* waiters: with more, sweep() does nothing */
	LOOKS = 20,           /* at waiters that a window does not show */
	MANY = 1000,          /* waiters: with more, forget_dead() looks each SWEEP ms only */
	MOST_WINDOW = 10000   /* rows */
};

static void
refuse(struct clients *c, const char *name, const char *reason)
{
	char file[NAMES_FILE], text[64];

	snprintf(text, sizeof text, "no %s\n", reason);
	if (names_file(file, name) == 0)
		names_answer(c->store.dir, file, text, &c->store.spare);
}

/* The read end of a client's FIFO, if the client is alive, or -1. */
static int
open_asker(const struct clients *c, const char *file)
{
	int fd = names_open(c->store.dir, file, O_RDONLY);

	if (fd < 0 || lease_held(fd))
		return fd;
	unlinkat(c->store.dir, file, 0);
	close(fd);
	errno = ESRCH;
	return -1;
}

/* The write end as well, for the answer: nothing may be given to whom it cannot be told. */
static int
open_waiting(const struct clients *c, const struct waiter *waiter, int *answer)
{
	char file[NAMES_FILE];
	int fd;

	names_file(file, waiter->name);
	fd = open_asker(c, file);
	if (fd >= 0 && (*answer = names_open(c->store.dir, file, O_WRONLY)) < 0)
		descriptors_close(&fd);
	return fd;
}

static int
is_dead(void *context, const struct waiter *waiter)
{
	char file[NAMES_FILE];
	int fd;

	names_file(file, waiter->name);
	if ((fd = open_asker(context, file)) < 0)
		return !room_short(errno);
	close(fd);
	return 0;
}

/* The first waiter keeps the others waiting for tokens that are not free yet, but only while it
   lives: so its FIFO is watched. */
static void
wait_for_head(struct clients *c, int fd, int answer)
{
	close(answer); /* else we would hold it ourselves */
	c->head = fd;
	if (news_add(c->store.news, fd, POLLHUP) != 0)
		news_drop(c->store.news, &c->head);
}

/* More than there are to be, or than an answer can name. */
static int
is_too_many(const struct clients *c, long count)
{
	return count > c->store.pool.wanted || count > MOST_AT_ONCE;
}

static long
most_of(const struct waiter *waiter)
{
	return waiter->most > waiter->count ? waiter->most : waiter->count;
}

/* A chain of that many slots; 0 where so many cannot be had. */
static long
take(struct clients *c, long count)
{
	struct pool *pool = &c->store.pool;
	long chain = 0, slot;

	while (count > 0 && (slot = pool_take(pool)) != 0) {
		*pool_next(pool, slot) = chain;
		chain = slot;
		count--;
	}
	if (count == 0)
		return chain;
	for (; chain != 0; chain = slot) {
		slot = *pool_next(pool, chain);
		pool_home(pool, chain);
	}
	return 0;
}

/* 1; or 0 when the waiter was refused: it wants more than there are to be, has just gone, or its
   FIFO cannot be renamed. */
static int
grant(struct clients *c, const struct waiter *waiter, int fd, int answer)
{
	struct waiter chosen = *waiter;
	long spare = store_spare(&c->store, most_of(waiter));
	int enough = !is_too_many(c, waiter->count) && waiter->count <= spare;

	if (enough && waiter->most > 0)
		chosen.count = (int)spare;
	if (enough &&
	    holders_grant(&c->holders, &chosen, take(c, chosen.count), fd, answer) == 0)
		return 1;
	names_say(answer, enough ? "no lease\n" : "no many\n");
	close(answer);
	close(fd);
	return 0;
}

/* Serves whom it can. -1 when too little memory or no descriptor is left to open the FIFO of
   the first. */
static int
serve_waiters(struct clients *c)
{
	struct waiter *waiter;
	long spare;
	int fd, answer;

	while ((waiter = waiters_first(&c->waiters)) != NULL) {
		builds_recall(&c->builds, most_of(waiter));
		if ((spare = store_spare(&c->store, most_of(waiter))) == 0)
			return 0;
		if (waiter->now && waiter->count > spare) {
			refuse(c, waiter->name, "busy");
			waiters_take(&c->waiters, 0);
			continue;
		}
		fd = open_waiting(c, waiter, &answer);
		if (fd < 0 && room_short(errno))
			return -1;
		if (fd >= 0 && waiter->count > spare && !is_too_many(c, waiter->count)) {
			wait_for_head(c, fd, answer);
			return 0;
		}
		waiters_take(&c->waiters, fd >= 0 && grant(c, waiter, fd, answer));
	}
	return 0;
}

/* What it is lent, as many as it can be of what it asks for: the chain, or 0. */
static long
take_loan(struct clients *c, struct waiter *waiter)
{
	long least = waiter->count, most = lending_most(&c->holders, waiter), chain = 0;

	waiter->count = (int)(most < most_of(waiter) ? most : most_of(waiter));
	while (waiter->count >= least && (chain = lending_take(&c->holders, waiter)) == 0)
		waiter->count--;
	return chain;
}

/* Whoever runs with a token of this pool is lent that, whatever others wait for: 1 when it has its
   answer. */
static int
lend(void *context, const struct waiter *asked)
{
	struct clients *c = context;
	struct waiter copy = *asked, *waiter = &copy;
	long chain = waiter->lender[0] == '\0' ? 0 : take_loan(c, waiter);
	int fd, answer, gone = 1;

	if (waiter->lender[0] != '\0' && chain == 0)
		c->borrowers = 1;
	if (chain == 0)
		return 0;
	if ((fd = open_waiting(c, waiter, &answer)) < 0) {
		gone = !room_short(errno);
		holders_home(&c->holders, chain, waiter->name);
	} else if (holders_grant(&c->holders, waiter, chain, fd, answer) == 0) {
		return 1;
	} else {
		names_say(answer, "no lease\n");
		close(answer);
		close(fd);
	}
	holders_repay(&c->holders, waiter->lender, waiter->count - 1);
	if (!gone) {
		c->borrowers = 1;
		c->look = clock_now() + LOOK_AGAIN;
	}
	return gone;
}

static int
refuse_now(void *context, const struct waiter *waiter)
{
	if (waiter->now)
		refuse(context, waiter->name, "busy");
	return waiter->now;
}

static int
tell_idle(void *context, const struct waiter *waiter)
{
	struct clients *c = context;
	char file[NAMES_FILE];

	names_file(file, waiter->name);
	return names_answer(c->store.dir, file, "ok\n", &c->store.spare) == 0 ||
	    !room_short(errno);
}

/* Those who wait for the end of all that others do. */
static void
serve_idlers(struct clients *c)
{
	if (c->idlers.count > 0 && !clients_busy(c))
		waiters_drop(&c->idlers, tell_idle, c);
	else if (c->hurried)
		waiters_drop(&c->idlers, refuse_now, c);
	if (c->idlers.count > 0 && !clients_busy(c))
		c->look = clock_now() + LOOK_AGAIN;
}

/* What is borrowed goes back first, so that others have their chance. */
void
clients_serve(struct clients *c)
{
	int failed;

	holders_tick(&c->holders);
	news_drop(c->store.news, &c->head);
	c->look = 0;
	if (pace_on(c->store.pool.pace))
		c->store.pool.looked = clock_now();
	if (c->store.borrowing)
		jobserver_settle(c->store.pool.out);
	if (c->borrowers) {
		c->borrowers = 0; /* until lend() finds one who still waits */
		waiters_drop(&c->waiters, lend, c);
	}
	failed = serve_waiters(c) != 0;
	if (c->hurried)
		waiters_drop(&c->waiters, refuse_now, c);
	if (failed) {
		c->look = clock_now() + LOOK_AGAIN;
		c->store.asking = 0;
		if (c->store.borrowing)
			jobserver_settle(c->store.pool.out);
	} else {
		shares_balance(&c->builds, c->waiters.count > 0);
		store_settle(&c->store, waiters_want(&c->waiters));
	}
	serve_idlers(c);
	c->hurried = 0;
	report_write(c);
}

/* Those who gave up or were killed while nothing was free. Each costs a look: where many wait,
   only from time to time. */
static void
forget_dead(struct clients *c, struct waiters *waiters)
{
	if (waiters->count > MANY) {
		if (clock_now() - c->counted < SWEEP)
			return;
		c->counted = clock_now();
	}
	waiters_drop(waiters, is_dead, c);
}

/* A client that is killed before it asks leaves its FIFO, of which nobody knows. From time to
   time, and only while few wait: it costs a look at each name. */
static void
sweep(struct clients *c)
{
	if (c->waiters.count > FEW || clock_now() - c->swept < SWEEP)
		return;
	remains_sweep(c);
	c->swept = clock_now();
}

static const char *
add_waiter(struct clients *c, struct waiters *waiters, const struct waiter *waiter)
{
	if (waiters->count >= MOST_WAITING)
		forget_dead(c, waiters);
	if (waiters->count >= MOST_WAITING || waiters_add(waiters, waiter) != 0)
		return "room";
	c->hurried |= waiter->now;
	return NULL;
}

static const char *
enqueue(struct clients *c, const struct waiter *waiter)
{
	if (c->store.closing && waiter->lender[0] == '\0')
		return "closing";
	if (is_too_many(c, waiter->count))
		return "many";
	if (waiter->lender[0] != '\0' && lending_most(&c->holders, waiter) < waiter->count)
		return "held";
	c->borrowers |= waiter->lender[0] != '\0';
	return add_waiter(c, &c->waiters, waiter);
}

/* "COUNT", or "LOW-HIGH": 0, or -1. */
static int
read_count(const struct clients *c, struct waiter *waiter, char *text)
{
	char *high = strchr(text, '-');
	long n, most = 0;

	if (high != NULL)
		*high++ = '\0';
	if (number_scan(text, high != NULL, INT_MAX, &n) != 0 ||
	    (high != NULL && number_scan(high, n, INT_MAX, &most) != 0))
		return -1;
	waiter->all = n == 0;
	waiter->count = (int)(waiter->all ? c->store.pool.wanted : n);
	waiter->most = (int)(most < MOST_AT_ONCE ? most : MOST_AT_ONCE);
	return 0;
}

/* "LENDER JOB", the second one may be missing, and so may both: 0, or -1 for anything else. A
   lender that is not here is none. */
static int
get_lender(const struct clients *c, const char *lender, const char *job, struct waiter *waiter)
{
	char file[NAMES_FILE];

	if (lender == NULL)
		return 0;
	if (names_file(file, lender) != 0 || (job != NULL && strlen(job) >= NAMES_JOB))
		return -1;
	strcpy(waiter->lender, lender);
	if (job != NULL)
		strcpy(waiter->job, job);
	if (lending_most(&c->holders, waiter) < 0)
		waiter->lender[0] = '\0';
	return 0;
}

/* "NAME COUNT PRIORITY FLAGS", "LENDER", "JOB" */
static int
get(struct clients *c, char *text)
{
	struct waiter waiter = {0};
	char file[NAMES_FILE];
	char *name = strtok(text, " "), *count = strtok(NULL, " "), *priority = strtok(NULL, " "),
	     *flags = strtok(NULL, " "), *lender = strtok(NULL, " "), *job = strtok(NULL, " ");
	const char *reason, *digits;
	long p;

	if (flags == NULL || strtok(NULL, " ") != NULL || names_file(file, name) != 0 ||
	    get_lender(c, lender, job, &waiter) != 0 || read_count(c, &waiter, count) != 0 ||
	    number_scan(priority, 0, PRIORITIES - 1, &p) != 0)
		return -1;
	strcpy(waiter.name, name);
	waiter.pid = strtol(name, NULL, 10);
	waiter.priority = (int)p;
	waiter.now = strchr(flags, 'n') != NULL;
	waiter.plain = strchr(flags, 'p') != NULL;
	waiter.kept = strchr(flags, 'l') != NULL;
	waiter.sized = strchr(flags, 'N') != NULL;
	waiter.build = c->builds.path != NULL && !waiter.plain && strchr(flags, 'j') != NULL;
	if ((digits = strpbrk(flags, "0123456789")) != NULL &&
	    number_scan(digits, 1, INT_MAX, &waiter.cap) != 0)
		return -1;
	waiter.silent = strchr(flags, 's') != NULL;
	waiter.outlives = strchr(flags, 'b') != NULL;
	if (waiter.plain) /* nothing tells when a loan without a lease ends */
		waiter.lender[0] = '\0';
	waiter.asked = clock_now();
	sweep(c);
	if ((reason = enqueue(c, &waiter)) != NULL)
		refuse(c, name, reason);
	return 0;
}

/* "NAME FLAGS" */
static int
idle(struct clients *c, char *text)
{
	struct waiter waiter = {0};
	char file[NAMES_FILE], *name = strtok(text, " "), *flags = strtok(NULL, " ");
	const char *reason;

	if (flags == NULL || strtok(NULL, " ") != NULL || names_file(file, name) != 0)
		return -1;
	strcpy(waiter.name, name);
	waiter.now = strchr(flags, 'n') != NULL;
	sweep(c);
	if ((reason = add_waiter(c, &c->idlers, &waiter)) != NULL)
		refuse(c, name, reason);
	return 0;
}

/* "NAME PID" */
static int
hold(struct clients *c, char *text)
{
	char file[NAMES_FILE], *name = strtok(text, " "), *pid = strtok(NULL, " ");
	long n;

	if (pid == NULL || names_file(file, name) != 0 || number_scan(pid, 1, INT_MAX, &n) != 0)
		return -1;
	holders_pid(&c->holders, name, n);
	return 0;
}

/* "NAME SLOT" */
static int
begun(struct clients *c, const char *text)
{
	const char *slot = strchr(text, ' ');
	long n;

	if (slot == NULL || number_scan(slot + 1, 1, INT_MAX, &n) != 0)
		return -1;
	holders_begin(&c->holders, n);
	return 0;
}

/* What builds have not taken is free. */
static int
resize(struct clients *c, const char *text)
{
	long count;

	if (number_scan(text, 1, MOST_TOKENS, &count) != 0) {
		errno = EINVAL;
		return -1;
	}
	builds_recall(&c->builds, LONG_MAX);
	return pool_resize(&c->store.pool, count);
}

static int
add(struct clients *c, const char *label)
{
	if (strlen(label) <= LONGEST_LABEL && c->store.pool.wanted < MOST_TOKENS)
		return pool_add(&c->store.pool, label);
	errno = EINVAL;
	return -1;
}

static int
drop(struct clients *c, const char *label)
{
	builds_recall(&c->builds, LONG_MAX);
	return pool_drop(&c->store.pool, label);
}

/* "NAME VALUE" */
static int
change(struct clients *c, int (*how)(struct clients *, const char *), char *text)
{
	char *value = strchr(text, ' '), file[NAMES_FILE];

	if (value == NULL)
		return -1;
	*value++ = '\0';
	if (names_file(file, text) != 0)
		return -1;
	if (how(c, value) == 0)
		names_answer(c->store.dir, file, "ok\n", &c->store.spare);
	else
		refuse(c, text, errno == ENOENT ? "label" : errno == EINVAL ? "such" : "room");
	waiters_resize(&c->waiters, c->store.pool.wanted);
	return 0;
}

static void
share(struct clients *c, const char *file)
{
	char text[LINE];

	if (c->builds.path == NULL || builds_share(&c->builds) != 0)
		snprintf(text, sizeof text, "no %s\n", c->builds.path == NULL ? "builds" : "room");
	else
		snprintf(text, sizeof text, "ok %ld %.2000s/%s\n", c->store.pool.wanted,
		    c->builds.path, NAMES_SHARED);
	names_answer(c->store.dir, file, text, &c->store.spare);
}

/* Those whom a window does not show are asked about a few at a time, so that no report costs as
   much as there are waiters. */
static void
forget_some(struct clients *c, long shown)
{
	struct waiters *waiters = &c->waiters;

	if (waiters->count <= FEW) {
		waiters_drop(waiters, is_dead, c);
		return;
	}
	waiters_drop_some(waiters, 0, shown, is_dead, c);
	c->asked_about = c->asked_about >= waiters->count ? 0 : c->asked_about;
	waiters_drop_some(waiters, c->asked_about, LOOKS, is_dead, c);
	c->asked_about += LOOKS;
}

/* "NAME", or "NAME FROM COUNT" */
static int
report(struct clients *c, char *text, int builds)
{
	char file[NAMES_FILE], *name = strtok(text, " "), *from = strtok(NULL, " "),
	     *count = strtok(NULL, " ");
	long first = 0, rows = -1;

	if (name == NULL || names_file(file, name) != 0 || strtok(NULL, " ") != NULL ||
	    (from != NULL && (count == NULL || number_scan(from, 0, INT_MAX, &first) != 0 ||
	    number_scan(count, 0, MOST_WINDOW, &rows) != 0)))
		return -1;
	if (report_ask(c, file, first, rows, builds) && rows < 0)
		forget_dead(c, &c->waiters);
	else if (rows >= 0)
		forget_some(c, rows);
	return 0;
}

/* What follows the verb, or NULL where the line has another. */
static char *
after(char *line, const char *verb)
{
	size_t length = strlen(verb);

	return strncmp(line, verb, length) == 0 && line[length] != '\0' ? line + length : NULL;
}

int
clients_request(struct clients *c, const char *text, size_t length)
{
	char line[LINE], file[NAMES_FILE], *rest;

	if (length >= sizeof line || memchr(text, '\0', length) != NULL)
		return -1;
	memcpy(line, text, length);
	line[length] = '\0';
	if ((rest = after(line, "get ")) != NULL)
		return get(c, rest);
	if ((rest = after(line, "begun ")) != NULL)
		return begun(c, rest);
	if ((rest = after(line, "idle ")) != NULL)
		return idle(c, rest);
	if ((rest = after(line, "pid ")) != NULL)
		return hold(c, rest);
	if ((rest = after(line, "size ")) != NULL)
		return change(c, resize, rest);
	if ((rest = after(line, "add ")) != NULL)
		return change(c, add, rest);
	if ((rest = after(line, "drop ")) != NULL)
		return change(c, drop, rest);
	if ((rest = after(line, "stat ")) != NULL)
		return report(c, rest, 0);
	if ((rest = after(line, "builds ")) != NULL)
		return report(c, rest, 1);
	if ((rest = after(line, "heard ")) != NULL && names_file(file, rest) == 0)
		holders_heard(&c->holders, rest);
	else if ((rest = after(line, "share ")) != NULL && names_file(file, rest) == 0)
		share(c, file);
	else
		return -1;
	return 0;
}

int
clients_event(struct clients *c, int fd, short events)
{
	if (fd == c->head || fd == c->store.parent || builds_event(&c->builds, fd) ||
	    report_event(c, fd, events))
		return 1;
	if (!holders_know(&c->holders, fd))
		return 0;
	holders_event(&c->holders, fd, events);
	return 1;
}

long long
clients_wait_ms(const struct clients *c)
{
	int waiting = c->waiters.count > 0;
	long long wait = clock_sooner(holders_wait_ms(&c->holders),
	    shares_wait_ms(&c->builds, waiting));

	if (c->look != 0)
		wait = clock_sooner(wait, clock_wait_ms(c->look));
	return clock_sooner(wait, store_wait_ms(&c->store, waiting, c->builds.list != NULL));
}

int
clients_busy(const struct clients *c)
{
	return c->store.pool.out > builds_idle(&c->builds) || c->waiters.count > 0;
}

static int
refuse_stopped(void *context, const struct waiter *waiter)
{
	if (waiter->lender[0] != '\0')
		return 0; /* else what its lender does could not end */
	refuse(context, waiter->name, "stopped");
	return 1;
}

void
clients_stop(struct clients *c)
{
	c->store.closing = 1;
	waiters_drop(&c->waiters, refuse_stopped, c);
}

static int
refuse_closing(void *context, const struct waiter *waiter)
{
	refuse(context, waiter->name, "closing");
	return 1;
}

int
clients_open(struct clients *c, struct news *news, int dir, long count, char **labels,
    long labelled, int inherited)
{
	struct pool *pool = &c->store.pool;

	c->store.news = news;
	c->store.dir = dir;
	c->builds.store = c->holders.store = &c->store;
	c->holders.builds = &c->builds;
	c->head = c->store.parent = -1;
	c->swept = clock_now();
	c->counted = c->swept - SWEEP;
	c->store.spare = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	if (c->store.spare < 0 || builds_remember(&c->builds) != 0 ||
	    remains_adopt(c) != 0 ||
	    builds_adopt(&c->builds, remains_lead, c) != 0 || remains_notes(c) != 0 ||
	    pool_resize(pool, count) != 0 || pool_name(pool, labels, labelled) != 0) {
		complain("the tokens:");
		return -1;
	}
	if (inherited)
		pool_inherit(pool);
	clients_serve(c);
	return 0;
}

void
clients_move(struct clients *c, int dir)
{
	c->store.dir = dir;
}

void
clients_close(struct clients *c)
{
	c->store.closing = 1;
	waiters_drop(&c->waiters, refuse_closing, c);
	if (!clients_busy(c))
		waiters_drop(&c->idlers, tell_idle, c);
	waiters_drop(&c->idlers, refuse_closing, c);
	news_drop(c->store.news, &c->head);
	report_close(c);
	names_remove(c->store.dir);
	holders_close(&c->holders);
	names_remove(c->store.dir); /* as leases_close does */
	builds_close(&c->builds);
	if (c->store.borrowing)
		jobserver_close();
	pool_clear(&c->store.pool);
	close(c->store.spare);
}
