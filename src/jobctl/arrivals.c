#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../lib/clock.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "batch.h"

enum {
	LOOK = 1000, /* ms */
	GRAIN = 2    /* seconds, in which two changes may have the same time */
};

/* As it is when it is opened: what is written later makes another one of it. */
static void
note(struct arrival *a, const struct stat *now)
{
	a->device = now->st_dev;
	a->inode = now->st_ino;
	a->size = now->st_size;
	a->written = now->st_mtime;
	a->changed = now->st_ctime;
	a->fresh = time(NULL) - now->st_mtime < GRAIN;
}

static int
is_same(const struct arrival *a, const struct stat *now)
{
	return !a->fresh && a->device == now->st_dev && a->inode == now->st_ino &&
	    a->size == now->st_size && a->written == now->st_mtime &&
	    a->changed == now->st_ctime;
}

static int
add(struct arrivals *arrivals, struct sites *sites, const char *path, const char *lines,
    const struct stat *now)
{
	struct arrival *list;

	if (strcmp(path, "-") == 0 || !S_ISREG(now->st_mode)) {
		errno = ENODATA;
		return *lines == '\0' ? -1 : sites_add(sites, lines);
	}
	list = room_for(arrivals->list, &arrivals->room, arrivals->count + 1, sizeof *list);
	if (list == NULL)
		return -1;
	arrivals->list = list;
	list[arrivals->count].path = path;
	note(&list[arrivals->count], now);
	sites->files = ++arrivals->count;
	return sites_list(sites, lines, sites->files);
}

int
arrivals_add(struct arrivals *arrivals, struct sites *sites, const char *path)
{
	struct outbox lines = {0};
	struct stat now;
	int result = sites_read(path, &lines, &now), reason;

	if (result == 0)
		result = add(arrivals, sites, path, outbox_bytes(&lines), &now);
	reason = errno;
	outbox_drop(&lines);
	errno = reason;
	return result;
}

/* 1 when it has changed, and its places are known; what is wrong is told of, once. */
static int
look(struct batch *b, size_t i)
{
	struct arrival *a = &b->arrivals.list[i];
	struct outbox lines = {0};
	struct stat now;
	int bad;

	if (stat(a->path, &now) != 0 || !S_ISREG(now.st_mode) || is_same(a, &now))
		return 0; /* it may be about to be replaced; to open a FIFO could wait */
	bad = sites_read(a->path, &lines, &now) != 0;
	note(a, &now);
	bad = bad || sites_list(&b->sites, outbox_bytes(&lines), i + 1) != 0;
	if (bad && !a->misread)
		batch_say(b, errno == EINVAL ? "--sshloginfile %s: not places such as 8/host; "
		    "still those of before" : "--sshloginfile %s:", a->path);
	a->misread = bad;
	outbox_drop(&lines);
	return !bad;
}

/* A seat for each new slot. */
static void
grow(struct batch *b)
{
	long before = b->sites.slots, jobs;

	if (sites_deal(&b->sites, b->plan->jobs_each) != 0)
		batch_say(b, "slots for new places:");
	b->crew.labels = b->sites.labels;
	jobs = b->crew.count + b->sites.slots - before;
	if (jobs == b->crew.count)
		return;
	if (crew_resize(&b->crew, jobs) != 0) {
		batch_say(b, "%ld jobs at once:", jobs);
		batch_give_up(b, STATUS_TROUBLE);
	} else
		outputs_bound(&b->outputs, jobs, &b->crew.mask);
}

void
arrivals_follow(struct batch *b)
{
	int changed = 0;

	if (b->arrivals.count == 0 || clock_wait_ms(b->arrivals.due) > 0)
		return;
	b->arrivals.due = clock_now() + LOOK;
	for (size_t i = 0; i < b->arrivals.count; i++)
		changed |= look(b, i);
	if (changed)
		grow(b);
	arrivals_check(b);
}

void
arrivals_check(struct batch *b)
{
	int left = sites_left(&b->sites);

	if (left > 0)
		b->arrivals.waiting = 0;
	if (left > 0 || b->stopping != NOT)
		return;
	if (left == 0) {
		batch_say(b, "no place is left");
		batch_give_up(b, STATUS_GONE);
	} else if (b->crew.running == 0 && !b->arrivals.waiting) {
		b->arrivals.waiting = 1;
		if (!b->plan->terms.quiet)
			batch_say(b, "waiting for places in %s", b->arrivals.list[0].path);
	}
}

long long
arrivals_wait_ms(const struct arrivals *arrivals)
{
	return arrivals->count == 0 ? -1 : clock_wait_ms(arrivals->due);
}
