#include <poll.h>
#include <time.h>

#include "../lease/lease.h"
#include "../lease/words.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/pace.h"
#include "attendant.h"
#include "jobs.h"

enum { LONGEST = 86400000 }; /* ms to sleep: an int may hold no more than some days */

struct lease_news {
	struct jobs *jobs;
	struct lease *lease;
	char name[LEASE_NAME];
	int returned;
};

/* Bytes after the first in a UTF-8 character that begins like this, or -1; least
   and most are for the second: what is longer than need be is no character. */
static int
followers(const unsigned char *p, unsigned char *least, unsigned char *most)
{
	*least = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80;
	*most = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
	return *p < 0x80 ? 0 : *p < 0xc2 ? -1 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : *p < 0xf5 ? 3 : -1;
}

/* The attendant is a shell, whose read(1) wants text: that of yash gives up on
   anything else. */
static int
is_text(const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + length;
	unsigned char least, most;
	int more;

	while (p < end) {
		more = followers(p, &least, &most);
		if (more < 0 || more >= end - p || (*p < ' ' && *p != '\t'))
			return 0;
		for (p++; more > 0; more--, p++, least = 0x80, most = 0xbf)
			if (*p < least || *p > most)
				return 0;
	}
	return 1;
}

/* What a job says that has returned its token is nothing to its slot. */
static void
begin(struct jobs *jobs, struct lease *lease)
{
	lease->since = clock_now();
	lease->running = 1;
	if (lease < jobs->slots.leases + jobs->slots.count)
		turns_begun(&jobs->turns, lease);
}

static void
lease_word(void *context, enum word word, const char *text, size_t length, int clean)
{
	struct lease_news *news = context;

	if (word == WORD_LINE && clean && is_text(text, length))
		attendant_say("said %s %.*s\n", news->name, (int)length, text);
	else if (word == WORD_BEGUN && clean)
		begin(news->jobs, news->lease);
	else if ((word == WORD_RETURN || word == WORD_STOP) && clean)
		news->returned = 1;
	else
		news->jobs->junk = 1;
}

static void
say_closed(const struct jobs *jobs, const char *word, const char *name, const struct lease *lease)
{
	long long ms = clock_now() - lease->since, start;
	struct timespec now;

	if (!jobs->times) {
		attendant_say("%s %s %lld.%03lld\n", word, name, ms / 1000, ms % 1000);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	start = (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000 - ms;
	attendant_say("%s %s %lld.%03lld %lld.%03lld\n", word, name, ms / 1000, ms % 1000, start / 1000,
	    start % 1000);
}

static void
say_free(struct jobs *jobs, struct lease *lease)
{
	char name[LEASE_NAME];

	lease_name(lease, name);
	attendant_say("free %s\n", name);
	turns_out(&jobs->turns, lease);
	lease->since = clock_now();
}

/* What the attendant hears of a slot whose lease is new again. */
static void
say_home(struct jobs *jobs, struct lease *lease, const char *name, int adopted)
{
	int given = !jobs->borrow.on && turns_may(&jobs->turns, lease);

	if (!jobs->lines)
		return;
	lease->rests = !jobs->borrow.on && !given;
	if (given)
		turns_out(&jobs->turns, lease);
	if (adopted && given)
		attendant_say("free %s\n", name); /* not a job of this attendant */
	else if (!adopted && !given)
		say_closed(jobs, "gone", name, lease);
	else if (given && jobs->brief)
		attendant_say("%s\n", name);
	else if (given)
		say_closed(jobs, "done", name, lease);
}

static void
lease_came_home(struct jobs *jobs, size_t i)
{
	struct lease *lease = jobs->slots.leases + i;
	char name[LEASE_NAME];
	int adopted = lease->adopted;

	lease_name(lease, name);
	if (i >= jobs->slots.count) {
		if (jobs->lines)
			say_closed(jobs, "gone", name, lease);
		/* With -r the attendant may be about to open any lease there is. */
		if (!jobs->recover || slots_renew(&jobs->slots, i) != 0)
			slots_drop(&jobs->slots, i);
		return;
	}
	lease->out = 0;
	turns_home(&jobs->turns, lease);
	if (slots_renew(&jobs->slots, i) != 0) {
		complain("slot %u is withdrawn:", lease->slot);
		if (jobs->lines)
			say_closed(jobs, "gone", name, lease);
		return;
	}
	say_home(jobs, lease, name, adopted);
	lease->since = clock_now();
	lease->running = 0;
}

/* Where there is no descriptor or memory for another lease, the token simply
   comes home with the one it has. */
static void
lease_returned(struct jobs *jobs, size_t i)
{
	char name[LEASE_NAME], fresh[LEASE_NAME];
	struct lease *lease;

	if (i >= jobs->slots.count)
		return;
	turns_home(&jobs->turns, jobs->slots.leases + i);
	if (slots_retire(&jobs->slots, i) != 0)
		return;
	lease = jobs->slots.leases + i;
	lease_name(jobs->slots.leases + jobs->slots.total - 1, name);
	lease_name(lease, fresh);
	lease->since = clock_now();
	lease->running = 0;
	lease->due = jobs->slots.leases[jobs->slots.total - 1].due;
	lease->rests = !jobs->borrow.on && !turns_may(&jobs->turns, lease);
	if (!jobs->lines || jobs->borrow.on || lease->rests)
		return;
	attendant_say("early %s %s\n", name, fresh);
	turns_out(&jobs->turns, lease);
}

int
jobs_event(struct jobs *jobs, int fd, short events)
{
	struct lease_news news = {0};
	size_t i = slots_find(&jobs->slots, fd);
	int closed = 1;

	if (i == jobs->slots.total)
		return jobs->borrow.on && borrow_event(&jobs->borrow, &jobs->slots, fd);
	news.jobs = jobs;
	news.lease = jobs->slots.leases + i;
	if (events & POLLIN) {
		lease_name(news.lease, news.name);
		closed = words_read(news.lease->fd, ':', lease_word, &news) == 0;
	}
	if (closed)
		lease_came_home(jobs, i);
	else if (news.returned)
		lease_returned(jobs, i);
	if (jobs->borrow.on && (closed || news.returned))
		borrow_look(&jobs->borrow, &jobs->slots);
	return 1;
}

void
jobs_announce(struct jobs *jobs, char **labels, long labelled, int inherited)
{
	struct lease *lease;
	size_t i;

	if (inherited)
		turns_unknown(&jobs->turns, jobs->slots.leases, jobs->slots.count);
	for (i = 0; i < (size_t)labelled; i++)
		attendant_say("slot %zu %s\n", i + 1, labels[i]);
	for (i = 0; i < jobs->slots.count; i++) {
		lease = jobs->slots.leases + i;
		lease->since = clock_now();
		if (lease->adopted || jobs->borrow.on)
			continue;
		lease->rests = !turns_may(&jobs->turns, lease);
		if (!lease->rests)
			say_free(jobs, lease);
	}
	if (jobs->borrow.on)
		borrow_begin(&jobs->borrow, &jobs->slots, &jobs->turns);
}

/* Those whose time has come. */
static void
announce_rested(struct jobs *jobs)
{
	struct lease *lease = jobs->slots.leases, *end = lease + jobs->slots.count;

	if (!pace_on(jobs->turns.pace))
		return;
	for (; lease < end; lease++)
		if (lease->rests && turns_may(&jobs->turns, lease))
			say_free(jobs, lease);
	if (jobs->borrow.on && borrow_left(&jobs->borrow, &jobs->slots) == 0)
		borrow_look(&jobs->borrow, &jobs->slots);
}

void
jobs_tick(struct jobs *jobs)
{
	char name[LEASE_NAME];
	struct lease *lease = jobs->slots.leases, *end = lease + jobs->slots.total;
	long long now = jobs->limit == 0 && jobs->deadline == 0 ? 0 : clock_now();

	if (jobs->deadline != 0 && jobs->deadline <= now) {
		attendant_say("stop limit\n");
		jobs->deadline = 0;
	}
	for (; jobs->limit != 0 && lease < end; lease++)
		if (lease->running && lease->since + jobs->limit <= now) {
			lease->running = 0;
			lease_name(lease, name);
			attendant_say("late %s\n", name);
		}
	announce_rested(jobs);
}

/* The ms until a slot's time has come, or -1. */
static long long
rest(const struct jobs *jobs)
{
	const struct lease *lease = jobs->slots.leases, *end = lease + jobs->slots.count;
	long long soonest = -1;

	if (!pace_on(jobs->turns.pace))
		return -1;
	if (jobs->borrow.on)
		return borrow_left(&jobs->borrow, &jobs->slots);
	for (; lease < end; lease++)
		if (lease->rests)
			soonest = clock_sooner(soonest, turns_left(&jobs->turns, lease));
	return soonest;
}

long long
jobs_patience(const struct jobs *jobs)
{
	const struct lease *lease = jobs->slots.leases, *end = lease + jobs->slots.total;
	long long first = jobs->deadline, left;

	if (jobs->limit == 0 && first == 0)
		return rest(jobs);
	for (; jobs->limit != 0 && lease < end; lease++)
		if (lease->running && (first == 0 || lease->since + jobs->limit < first))
			first = lease->since + jobs->limit;
	left = first == 0 ? -1 : clock_left(first);
	return clock_sooner(left > LONGEST ? LONGEST : left, rest(jobs));
}
