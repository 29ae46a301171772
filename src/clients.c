#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clients.h"
#include "clock.h"
#include "complain.h"
#include "lease.h"
#include "names.h"
#include "news.h"
#include "number.h"
#include "report.h"

enum {
	LINE = 4096,          /* bytes of a request or an answer, at most */
	MOST_WAITING = 100000,
	MOST_AT_ONCE = 1000,  /* tokens of one request */
	FRESH = 2,            /* seconds in which a client has opened its FIFO */
	SWEEP = 10000,        /* ms between two looks for what the killed left */
	FEW = 100             /* waiting */
};

static void
refuse(const struct clients *c, const struct request *request, const char *reason)
{
	char file[NAMES_FILE], text[64];

	snprintf(text, sizeof text, "no %s\n", reason);
	if (names_file(file, request->name) == 0)
		names_answer(c->dir, file, text);
}

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

static int
know_slot(struct clients *c, long slot)
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

/* The chain of slots comes home. */
static void
slots_home(struct clients *c, long slot)
{
	char name[LEASE_NAME];
	long next;

	for (; slot != 0; slot = next) {
		next = c->next_slot[slot];
		slot_name(name, slot);
		unlinkat(c->dir, name, 0);
		pool_home(&c->pool, slot);
	}
}

/* A chain of slots that carry the name of the request's FIFO, or 0. */
static long
take_slots(struct clients *c, const char *file, int count)
{
	char name[LEASE_NAME];
	long chain = 0, slot;

	while (count-- > 0) {
		slot = pool_take(&c->pool);
		if (slot == 0 || know_slot(c, slot) != 0) {
			if (slot != 0)
				pool_home(&c->pool, slot);
			break;
		}
		slot_name(name, slot);
		c->next_slot[slot] = chain;
		chain = slot;
		if (count == 0 ? renameat(c->dir, file, c->dir, name) != 0
		               : linkat(c->dir, file, c->dir, name, 0) != 0)
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

/* "ok COUNT" and the slots; without the labels where they are too long. */
static void
write_grant(const struct clients *c, char text[LINE], long chain, int count)
{
	char line[LINE];
	size_t used = 0;
	long slot;
	int labels;

	for (labels = 1; labels >= 0; labels--) {
		used = 0;
		snprintf(line, sizeof line, "ok %d\n", count);
		append(text, &used, line);
		for (slot = chain; slot != 0; slot = c->next_slot[slot]) {
			snprintf(line, sizeof line, "%ld %s\n", slot,
			    labels ? pool_label(&c->pool, slot) : "");
			if (append(text, &used, line) != 0)
				break;
		}
		if (slot == 0)
			return;
	}
}

static int
remember_plain(struct clients *c, long chain)
{
	long *bigger, room = c->plain_room * 2 + 16, slot;

	for (slot = chain; slot != 0; slot = c->next_slot[slot]) {
		if (c->plain_count == c->plain_room) {
			if ((bigger = realloc(c->plain, (size_t)room * sizeof *bigger)) == NULL)
				return -1;
			c->plain = bigger;
			c->plain_room = room;
			room = room * 2;
		}
		c->plain[c->plain_count++] = slot;
	}
	return 0;
}

static void
count_grant(struct clients *c, const struct request *request)
{
	unsigned long long waited = (unsigned long long)(clock_now() - request->asked);

	c->granted++;
	c->waited += waited;
	if (waited > c->longest)
		c->longest = waited;
}

/* fd is the read end of the request's FIFO, which its asker has open. */
static int
grant(struct clients *c, const struct request *request, int fd)
{
	char file[NAMES_FILE], name[LEASE_NAME], text[LINE];
	long chain;

	if (names_file(file, request->name) != 0 || know_holder(c, fd) != 0 ||
	    (chain = take_slots(c, file, request->count)) == 0)
		return -1;
	slot_name(name, chain);
	write_grant(c, text, chain, request->count);
	if ((request->plain ? remember_plain(c, chain) : news_add(c->news, fd, 0)) != 0 ||
	    names_answer(c->dir, name, text) != 0) {
		news_remove(c->news, fd);
		slots_home(c, chain);
		return -1;
	}
	count_grant(c, request);
	if (request->plain) {
		close(fd);
		return 0;
	}
	c->holders[fd].slot = chain;
	c->holders[fd].pid = request->pid;
	c->holders[fd].silent = request->silent;
	c->holders[fd].since = clock_now();
	return 0;
}

/* The FIFO of the request, if its asker is alive, or -1. */
static int
open_waiting(const struct clients *c, const struct request *request)
{
	char file[NAMES_FILE];
	struct lease lease = {0};

	if (names_file(file, request->name) != 0 ||
	    (lease.fd = names_open(c->dir, file, O_RDONLY)) < 0)
		return -1;
	if (lease_held(&lease))
		return lease.fd;
	close(lease.fd);
	unlinkat(c->dir, file, 0);
	errno = ESRCH;
	return -1;
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

/* Serves whom it can. The first may need more tokens than are free: it keeps the
   others waiting only while it lives, so its FIFO is watched. */
static void
serve(struct clients *c)
{
	struct request *request;
	int fd, served;

	forget_head(c);
	while (c->pool.free > 0 && (request = queue_first(&c->queue)) != NULL) {
		fd = open_waiting(c, request);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			return; /* when one comes home there is a descriptor */
		if (fd >= 0 && request->count > c->pool.free && request->count <= c->pool.wanted) {
			c->head = fd;
			if (news_add(c->news, fd, 0) != 0)
				forget_head(c);
			return;
		}
		served = fd >= 0 && request->count <= c->pool.free && grant(c, request, fd) == 0;
		if (fd >= 0 && !served) {
			refuse(c, request, "many");
			close(fd);
		}
		queue_take(&c->queue, served);
	}
}

static const char *
enqueue(struct clients *c, const struct request *request, int now)
{
	if (c->closing)
		return "closing";
	if (request->count > c->pool.wanted)
		return "many";
	if (c->queue.count >= MOST_WAITING)
		return "room";
	serve(c); /* the dead are in nobody's way */
	if (now && (c->queue.count > 0 || request->count > c->pool.free))
		return "busy";
	if (queue_add(&c->queue, request) != 0)
		return "room";
	serve(c);
	return NULL;
}

static int
remove_stale(void *context, const char *name, long slot)
{
	struct clients *c = context;
	struct lease lease = {0};
	struct stat st;

	if (slot > 0 || (lease.fd = names_open(c->dir, name, O_RDONLY)) < 0)
		return 0;
	if (fstat(lease.fd, &st) == 0 && time(NULL) - st.st_mtime >= FRESH && !lease_held(&lease))
		unlinkat(c->dir, name, 0);
	close(lease.fd);
	return 0;
}

/* A client that is killed before it asks leaves its FIFO, of which nobody knows.
   From time to time, and only while few wait: it costs a look at each name. */
static void
sweep(struct clients *c)
{
	if (c->queue.count > FEW || clock_now() - c->swept < SWEEP)
		return;
	names_each(c->dir, remove_stale, c);
	c->swept = clock_now();
}

/* "NAME COUNT PRIORITY FLAGS" */
static int
get(struct clients *c, char *text)
{
	struct request request = {0};
	char file[NAMES_FILE];
	char *name = strtok(text, " "), *count = strtok(NULL, " "), *priority = strtok(NULL, " "),
	     *flags = strtok(NULL, " ");
	const char *reason;
	long n, p;

	if (flags == NULL || strtok(NULL, " ") != NULL || names_file(file, name) != 0 ||
	    number_scan(count, 1, MOST_AT_ONCE, &n) != 0 ||
	    number_scan(priority, 0, PRIORITIES - 1, &p) != 0)
		return -1;
	strcpy(request.name, name);
	request.pid = strtol(name, NULL, 10);
	request.count = (int)n;
	request.priority = (int)p;
	request.plain = strchr(flags, 'p') != NULL;
	request.silent = strchr(flags, 's') != NULL;
	request.asked = clock_now();
	sweep(c);
	reason = enqueue(c, &request, strchr(flags, 'n') != NULL);
	if (reason != NULL)
		refuse(c, &request, reason);
	return 0;
}

int
clients_request(struct clients *c, const char *text, size_t length)
{
	char line[LINE], file[REQUEST_NAME + 2];
	long n;

	if (length >= sizeof line || memchr(text, '\0', length) != NULL)
		return -1;
	memcpy(line, text, length);
	line[length] = '\0';
	if (strncmp(line, "get ", 4) == 0)
		return get(c, line + 4);
	if (strncmp(line, "size ", 5) == 0 && number_scan(line + 5, 1, 1000000, &n) == 0) {
		if (pool_resize(&c->pool, n) != 0)
			complain("%ld tokens:", n);
	} else if (strncmp(line, "add ", 4) == 0 && line[4] != '\0' && strlen(line + 4) <= 1000) {
		if (pool_add(&c->pool, line + 4) != 0)
			complain("slot %s:", line + 4);
	} else if (strncmp(line, "drop ", 5) == 0 && line[5] != '\0') {
		if (pool_drop(&c->pool, line + 5) != 0)
			complain("slot %s: no such label", line + 5);
	} else if (strncmp(line, "stat ", 5) == 0 && names_file(file, line + 5) == 0) {
		report_write(c, file);
		return 0;
	} else {
		return -1;
	}
	serve(c);
	return 0;
}

/* What the holder wrote last tells whether it came to its end. */
static void
count_return(struct clients *c, int fd)
{
	char block[LINE], last = '\0';
	ssize_t n;

	while ((n = read(fd, block, sizeof block)) > 0)
		last = block[n - 1];
	if (c->holders[fd].silent || last == 'C')
		c->returned++;
	else
		c->recovered++;
}

/* The news may be of a descriptor that had the same number a moment ago. */
static int
is_closed(int fd)
{
	struct pollfd now = {0};

	now.fd = fd;
	return poll(&now, 1, 0) > 0 && (now.revents & (POLLHUP | POLLERR));
}

int
clients_event(struct clients *c, int fd, short events)
{
	long chain;

	if (fd == c->head) {
		serve(c);
		return 1;
	}
	if (report_event(c, fd, events))
		return 1;
	if ((size_t)fd >= c->room || (chain = c->holders[fd].slot) == 0)
		return 0;
	if (!is_closed(fd))
		return 1;
	c->holders[fd].slot = 0;
	count_return(c, fd);
	news_remove(c->news, fd);
	close(fd);
	slots_home(c, chain);
	serve(c);
	return 1;
}

int
clients_return(struct clients *c)
{
	long slot;

	if (c->plain_count == 0)
		return -1;
	slot = c->plain[0];
	memmove(c->plain, c->plain + 1, (size_t)--c->plain_count * sizeof *c->plain);
	c->next_slot[slot] = 0;
	slots_home(c, slot);
	c->returned++;
	serve(c);
	return 0;
}

int
clients_busy(const struct clients *c)
{
	return c->pool.out > 0 || c->queue.count > 0;
}

static void
tell_closing(void *context, const struct request *request)
{
	refuse(context, request, "closing");
}

void
clients_stop(struct clients *c)
{
	c->closing = 1;
	forget_head(c);
	queue_each(&c->queue, tell_closing, c);
	queue_clear(&c->queue);
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
   its holder has still to read. So that is put back. */
static int
still_held(const struct clients *c, int fd, const char *name)
{
	char text[LINE];
	struct lease lease = {0};
	ssize_t n = read(fd, text, sizeof text - 1);

	lease.fd = fd;
	if (n <= 0)
		return n < 0;
	text[n] = '\0';
	if (!lease_held(&lease))
		return 0;
	names_answer(c->dir, name, text);
	return 1;
}

static int
adopt(struct clients *c, const char *name, long slot)
{
	struct stat st;
	int fd = names_open(c->dir, name, O_RDONLY), before;

	if (fd < 0)
		return errno == EEXIST || errno == ENOENT ? 0 : -1;
	if (fstat(fd, &st) != 0 || !still_held(c, fd, name)) {
		close(fd);
		unlinkat(c->dir, name, 0);
		return 0;
	}
	if (know_slot(c, slot) != 0 || pool_adopt(&c->pool, slot) != 0) {
		close(fd);
		return -1;
	}
	if ((before = adopted_before(c, &st)) >= 0) {
		close(fd);
		c->next_slot[slot] = c->holders[before].slot;
		c->holders[before].slot = slot;
		return 0;
	}
	if (know_holder(c, fd) != 0 || news_add(c->news, fd, 0) != 0)
		return -1;
	c->next_slot[slot] = 0;
	c->holders[fd].slot = slot;
	c->holders[fd].silent = 1;
	c->holders[fd].since = clock_now();
	return 0;
}

/* Who waits still will ask anew; the dead go. */
static int
adopt_name(void *context, const char *name, long slot)
{
	struct clients *c = context;
	struct lease lease = {0};

	if (slot > 0)
		return adopt(c, name, slot);
	if ((lease.fd = names_open(c->dir, name, O_RDONLY)) < 0)
		return 0;
	if (!lease_held(&lease))
		unlinkat(c->dir, name, 0);
	close(lease.fd);
	return 0;
}

int
clients_open(struct clients *c, struct news *news, int dir, long count, char **labels, long labelled)
{
	c->news = news;
	c->dir = dir;
	c->head = -1;
	c->swept = clock_now();
	if (names_each(dir, adopt_name, c) == 0 && pool_resize(&c->pool, count) == 0 &&
	    pool_name(&c->pool, labels, labelled) == 0)
		return 0;
	complain("the tokens:");
	return -1;
}

static int
remove_name(void *context, const char *name, long slot)
{
	struct clients *c = context;
	struct stat st;

	(void)slot;
	if (fstatat(c->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISFIFO(st.st_mode))
		unlinkat(c->dir, name, 0);
	return 0;
}

void
clients_close(struct clients *c)
{
	size_t fd;

	clients_stop(c);
	report_close(c);
	names_each(c->dir, remove_name, c);
	for (fd = 0; fd < c->room; fd++)
		if (c->holders[fd].slot != 0)
			close((int)fd);
	free(c->holders);
	free(c->next_slot);
	free(c->plain);
	pool_clear(&c->pool);
}
