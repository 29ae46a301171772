#include <poll.h>
#include <time.h>

#include "../lease/jobserver.h"
#include "../lease/words.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/news.h"
#include "../lib/utf8.h"
#include "attendant.h"
#include "jobs.h"

enum { LONGEST = 86400000 }; /* ms to sleep: an int may hold no more than some days */

struct lease_news {
	struct jobs *jobs;
	struct lease *lease;
	int returned;
};

static int
is_current(const struct jobs *jobs, const struct lease *lease)
{
	return lease < jobs->leases.list + jobs->leases.count;
}

/* A job that has returned its token does not begin in its slot any more. */
static void
begin(struct jobs *jobs, struct lease *lease)
{
	lease->since = clock_now();
	lease->running = 1;
	if (is_current(jobs, lease))
		pace_begin(jobs->pace, &lease->turn);
}

/* The attendant is a shell, whose read(1) wants text: that of yash gives up on anything else. */
static void
lease_word(void *context, enum word word, const char *text, size_t length, int clean)
{
	struct lease_news *news = context;

	if (word == WORD_LINE && clean && utf8_is_text(text, length))
		attendant_say("said %s %.*s\n", news->lease->name, (int)length, text);
	else if (word == WORD_BEGUN && clean)
		begin(news->jobs, news->lease);
	else if ((word == WORD_RETURN || word == WORD_STOP) && clean)
		news->returned = 1;
	else
		news->jobs->junk = 1;
}

static void
say_closed(const struct jobs *jobs, const char *word, const struct lease *lease)
{
	long long ms = clock_now() - lease->since, start;
	struct timespec now;

	if (!jobs->times) {
		attendant_say("%s %s %lld.%03lld\n", word, lease->name, ms / 1000, ms % 1000);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	start = (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000 - ms;
	attendant_say("%s %s %lld.%03lld %lld.%03lld\n", word, lease->name, ms / 1000, ms % 1000,
	    start / 1000, start % 1000);
}

/* The slot's lease is the attendant's from now on. */
static void
give(struct jobs *jobs, struct lease *lease)
{
	lease->rests = 0;
	lease->out = 1;
	lease->since = clock_now();
	pace_out(jobs->pace, &lease->turn);
}

static void
say_free(struct jobs *jobs, struct lease *lease)
{
	attendant_say("free %s\n", lease->name);
	give(jobs, lease);
}

/* Whether a lease that is free is given at once; else it rests, or goes back to make. */
static int
may_give(struct jobs *jobs, struct lease *lease)
{
	lease->rests = !jobs->borrowing && pace_wait_ms(jobs->pace, &lease->turn) != 0;
	return !jobs->borrowing && !lease->rests;
}

static int
is_idle(const struct lease *lease)
{
	return !lease->out && lease->fd >= 0 && !lease->adopted;
}

static void
hear_make(struct jobs *jobs, int fd)
{
	if (jobs->heard == fd)
		return;
	if (jobs->heard >= 0)
		news_forget(jobs->leases.news, jobs->heard);
	jobs->heard = fd;
	if (fd >= 0 && news_add(jobs->leases.news, fd, POLLIN) != 0) {
		complain("make's jobserver:");
		jobs->heard = -1;
	}
}

/* A slot is announced only when there is a token for it and the attendant has asked for one.
   Nothing is free because a job has ended: its token goes back, first, so that others have
   their chance. */
static void
borrow(struct jobs *jobs)
{
	struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.count, *idle = NULL;
	long out = 0;

	for (; lease < end; lease++) {
		out += lease->out;
		lease->rests = is_idle(lease) && pace_wait_ms(jobs->pace, &lease->turn) != 0;
		if (idle == NULL && is_idle(lease) && !lease->rests)
			idle = lease;
	}
	jobserver_settle(out);
	if (jobs->wanted && idle != NULL && jobserver_take(out)) {
		say_free(jobs, idle);
		jobs->wanted = 0;
	}
	hear_make(jobs, jobs->wanted && idle != NULL ? jobserver_fd() : -1);
}

void
jobs_want(struct jobs *jobs)
{
	jobs->wanted = 1;
	borrow(jobs);
}

void
jobs_orphan(struct jobs *jobs)
{
	if (!jobs->borrowing)
		return;
	hear_make(jobs, -1);
	jobs->wanted = 0;
	jobserver_close();
}

/* A job that was taken over is none of this attendant's. */
static void
say_home(struct jobs *jobs, struct lease *lease, int adopted)
{
	int given = may_give(jobs, lease);

	if (!jobs->lines)
		return;
	if (adopted && given)
		attendant_say("free %s\n", lease->name);
	else if (!adopted && !given)
		say_closed(jobs, "gone", lease);
	else if (given && jobs->brief)
		attendant_say("%s\n", lease->name);
	else if (given)
		say_closed(jobs, "done", lease);
	if (given)
		give(jobs, lease);
}

static void
lease_came_home(struct jobs *jobs, size_t i)
{
	struct lease *lease = jobs->leases.list + i;
	int adopted = lease->adopted, current = is_current(jobs, lease);

	if (current) {
		lease->out = 0;
		pace_home(jobs->pace, &lease->turn);
		if (leases_renew(&jobs->leases, i) == 0) {
			say_home(jobs, lease, adopted);
			lease->since = clock_now();
			lease->running = 0;
			return;
		}
		complain("slot %ld is withdrawn:", lease->slot);
	}
	if (jobs->lines)
		say_closed(jobs, "gone", lease);
	/* With -r the attendant may be about to open any lease there is. */
	if (!current && (!jobs->recover || leases_renew(&jobs->leases, i) != 0))
		leases_drop(&jobs->leases, i);
}

/* Where there is no descriptor or memory for another lease, the token comes home with the one
   it has. */
static void
lease_returned(struct jobs *jobs, size_t i)
{
	struct lease *lease = jobs->leases.list + i;

	if (!is_current(jobs, lease))
		return;
	pace_home(jobs->pace, &lease->turn);
	if (leases_retire(&jobs->leases, i) != 0)
		return;
	lease = jobs->leases.list + i;
	lease->since = clock_now();
	if (!may_give(jobs, lease) || !jobs->lines)
		return;
	attendant_say("early %s %s\n", jobs->leases.list[jobs->leases.total - 1].name, lease->name);
	give(jobs, lease);
}

int
jobs_event(struct jobs *jobs, int fd, short events)
{
	struct lease_news news = {0};
	size_t i = leases_find(&jobs->leases, fd);
	int closed = 1, ours = i < jobs->leases.total;

	if (!ours && (!jobs->borrowing || fd != jobs->heard))
		return 0;
	if (ours) {
		news.jobs = jobs;
		news.lease = jobs->leases.list + i;
		if (events & POLLIN)
			closed = words_read(fd, ':', lease_word, &news) == 0;
		if (closed)
			lease_came_home(jobs, i);
		else if (news.returned)
			lease_returned(jobs, i);
	}
	if (jobs->borrowing)
		borrow(jobs);
	return 1;
}

void
jobs_announce(struct jobs *jobs, char **labels, long labelled, int inherited)
{
	struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.count;

	for (long i = 0; i < labelled; i++)
		attendant_say("slot %ld %s\n", i + 1, labels[i]);
	for (; lease < end; lease++) {
		lease->since = clock_now();
		if (inherited)
			pace_begin(jobs->pace, &lease->turn); /* nobody knows when it did */
	}
	for (lease = jobs->leases.list; lease < end; lease++)
		if (!lease->adopted && may_give(jobs, lease))
			say_free(jobs, lease);
	jobs->heard = -1;
	if (jobs->borrowing)
		jobs_want(jobs); /* the first one comes by itself */
}

static void
tell_late(struct jobs *jobs)
{
	struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.total;
	long long now = clock_now();

	for (; lease < end; lease++)
		if (lease->running && lease->since + jobs->limit <= now) {
			lease->running = 0;
			attendant_say("late %s\n", lease->name);
		}
}

void
jobs_tick(struct jobs *jobs)
{
	struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.count;

	if (jobs->deadline != 0 && clock_wait_ms(jobs->deadline) == 0) {
		attendant_say("stop limit\n");
		jobs->deadline = 0;
	}
	if (jobs->limit != 0)
		tell_late(jobs);
	if (!pace_on(jobs->pace))
		return;
	if (jobs->borrowing && jobs->wanted)
		borrow(jobs);
	for (; !jobs->borrowing && lease < end; lease++)
		if (lease->rests && pace_wait_ms(jobs->pace, &lease->turn) == 0)
			say_free(jobs, lease);
}

/* With make's tokens only a slot that the attendant asked for is waited for. */
static long long
pace_due_ms(const struct jobs *jobs)
{
	const struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.count;
	long long soonest = -1;

	if (!pace_on(jobs->pace) || (jobs->borrowing && !jobs->wanted))
		return -1;
	for (; lease < end; lease++)
		if (lease->rests)
			soonest = clock_sooner(soonest, pace_wait_ms(jobs->pace, &lease->turn));
	return soonest;
}

long long
jobs_wait_ms(const struct jobs *jobs)
{
	const struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.total;
	long long wait = pace_due_ms(jobs);

	if (jobs->deadline != 0)
		wait = clock_sooner(wait, clock_wait_ms(jobs->deadline));
	for (; jobs->limit != 0 && lease < end; lease++)
		if (lease->running)
			wait = clock_sooner(wait, clock_wait_ms(lease->since + jobs->limit));
	return wait > LONGEST ? LONGEST : wait;
}
