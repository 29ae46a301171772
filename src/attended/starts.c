#include <poll.h>
#include <stdlib.h>

#include "attended.h"

int
wants_add(struct wants *wants, const struct want *want)
{
	struct want **at = want->due == 0 ? &wants->first : &wants->later;
	struct want *copy = malloc(sizeof *copy);

	if (copy == NULL)
		return -1;
	if (want->due == 0 && wants->first != NULL)
		at = &wants->last->next;
	while (want->due != 0 && *at != NULL && (*at)->due <= want->due)
		at = &(*at)->next;
	*copy = *want;
	copy->next = *at;
	*at = copy;
	if (want->due == 0)
		wants->last = copy;
	else
		wants->shells++;
	wants->count++;
	return 0;
}

static int
cut_want(struct wants *wants, struct want **from, struct want *want)
{
	struct want *taken = *from;

	if (taken == NULL)
		return 0;
	wants->shells -= taken->due != 0;
	wants->count--;
	*want = *taken;
	*from = taken->next;
	free(taken);
	return 1;
}

/* 1 while so many shells wait that no other jobs begin. */
static int
wants_full(const struct wants *wants)
{
	return wants->shells >= WANTS_MOST;
}

int
wants_take(struct wants *wants, struct want *want, int all)
{
	if (wants->later != NULL && (all || clock_wait_ms(wants->later->due) == 0))
		return cut_want(wants, &wants->later, want);
	return (all || !wants_full(wants)) && cut_want(wants, &wants->first, want);
}

int
wants_cut(struct wants *wants, long id, struct want *want)
{
	struct want **at = &wants->later;

	while (*at != NULL && (*at)->job.id != id)
		at = &(*at)->next;
	return cut_want(wants, at, want);
}

long long
wants_wait_ms(const struct wants *wants)
{
	if (wants->first != NULL && !wants_full(wants))
		return 0;
	return wants->later == NULL ? -1 : clock_wait_ms(wants->later->due);
}

static int
is_idle(const struct lease *lease)
{
	return !lease->out && lease->fd >= 0 && !lease->adopted && !lease->asked;
}

/* A shell that asks may also be asked: the end of the last job may decide about the next. */
static int
may_start(const struct jobs *jobs)
{
	return jobs->lines && !jobs->closed && jobs->books.result == 0 &&
	    (!jobs->books.asks || !ends_asked(jobs)) &&
	    outputs_room(&jobs->books.outputs);
}

/* Whether some job waits for a lease. */
static int
wanted(const struct jobs *jobs)
{
	return may_start(jobs) && (wants_wait_ms(&jobs->wants) == 0 || (!wants_full(&jobs->wants) &&
	    (jobs->asked || (!jobs->books.asks && jobs->waits == WAITS_NOT))));
}

static void
give_lease(struct jobs *jobs, struct lease *lease)
{
	lease->rests = lease->running = 0;
	lease->out = 1;
	lease->since = clock_now();
	clock_gettime(CLOCK_REALTIME, &lease->start);
	lease->job.granted = 1;
	if (!lease->job.pushed)
		jobs->least = jobs->books.next;
	jobs->books.running++;
	pace_out(jobs->pace, &lease->turn);
}

/* Starts the job that the shell has asked for, or its next one; or a job that waits of its own
   accord: the shell does, or that of the job itself. The line for the shell has the command if it
   may not know that. One without the key is not ours: its descriptor is another file. */
static void
start_job(struct jobs *jobs, struct lease *lease, const struct want *want)
{
	const char *key = jobs->books.key == NULL ? "" : jobs->books.key;
	struct job *job = &lease->job;

	if (want == NULL) {
		*job = (struct job){.text = jobs->text, .pushed = !jobs->asked,
		    .asked = jobs->asked};
		jobs->text = NULL;
		jobs->asked = 0;
	} else {
		*job = want->job;
		job->asked = job->pushed = job->known = job->late = job->ended = 0;
		job->never = job->lost = job->why = 0;
		job->pid = 0;
	}
	job->after = -1;
	if (job->tries++ == 0 && !job->put_back) {
		job->id = jobs->books.next++;
		jobs->books.started++;
	}
	job->put_back = 0;
	if (job->again)
		again_give(jobs, lease);
	else
		attendant_say("%s %ld%s%s%s%s\n", lease->name, job->id, key[0] != '\0' ? " " : "",
		    key, want == NULL ? "" : job->task != NULL ? " task " : " ",
		    want == NULL ? "" : job->text);
	give_lease(jobs, lease);
}

/* Gives make's tokens of ended jobs back, so that others have their chance. Returns how many are
   out. */
static long
settle_tokens(const struct jobs *jobs)
{
	long out = 0;

	for (size_t i = 0; i < jobs->leases.count; i++)
		out += jobs->leases.list[i].out;
	jobserver_settle(out);
	return out;
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

/* How long a free lease must not be given; -1: nobody knows, or for good. */
static long long
rest_ms(const struct jobs *jobs, const struct lease *lease)
{
	long long turn = pace_wait_ms(jobs->pace, &lease->turn);
	long long place = sites_wait_ms(&jobs->sites, lease->slot);

	return turn < 0 || place < 0 ? -1 : turn > place ? turn : place;
}

/* A slot whose time has not come rests, and is said to the shell later. */
static struct lease *
find_idle(struct jobs *jobs, struct lease *lease)
{
	struct lease *end = jobs->leases.list + jobs->leases.count;

	for (; lease < end; lease++) {
		lease->rests = is_idle(lease) && rest_ms(jobs, lease) != 0;
		if (is_idle(lease) && !lease->rests)
			return lease;
	}
	return NULL;
}

void
starts_serve(struct jobs *jobs)
{
	struct lease *lease = jobs->leases.list;
	struct want want;
	int token = 1;

	while (wanted(jobs) && !limits_reached(&jobs->books.terms.limits) &&
	    (lease = find_idle(jobs, lease)) != NULL &&
	    (token = !jobs->borrowing || jobserver_take(settle_tokens(jobs))) != 0) {
		start_job(jobs, lease, wants_take(&jobs->wants, &want, 0) ? &want : NULL);
	}
	if (!jobs->borrowing)
		return;
	settle_tokens(jobs);
	hear_make(jobs, token || !wanted(jobs) ? -1 : jobserver_fd());
}

static int
was_opened(const struct lease *lease)
{
	return (descriptors_poll(lease->fd, POLLIN, 0) & (POLLIN | POLLHUP)) != 0;
}

/* Twice, for the job may have closed it after the first answer. */
int
starts_used(struct jobs *jobs, struct lease *lease)
{
	return was_opened(lease) || heard_on(jobs, lease) || was_opened(lease);
}

size_t
starts_open(struct jobs *jobs)
{
	struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.total;
	size_t open = 0;

	for (; lease < end; lease++)
		open += lease->fd >= 0 && starts_used(jobs, lease);
	return open;
}

/* One shell opens leases in the order of its lines. So of leases that nobody asked for the last
   ones were not used, and their numbers are given again. Behind any other number a later one may
   be in use; then nobody gets that number, and no output waits for its turn. */
static void
take_back(struct jobs *jobs, struct job *job, int unheard)
{
	struct books *books = &jobs->books;
	struct want want = {.job = *job};

	want.job.tries--;
	books->running--;
	books->started--;
	if (books->next > jobs->least || job->id + 1 == books->next)
		books->next--;
	else
		output_skip(&books->outputs, job->id);
	if (unheard && job->asked) {
		jobs->asked = 1;
		free(jobs->text);
		jobs->text = job->text;
	} else if (!unheard || job->pushed || wants_add(&jobs->wants, &want) != 0) {
		again_end(jobs, job);
	}
	*job = (struct job){0};
}

void
starts_recall(struct jobs *jobs, enum recall which)
{
	struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.count;

	for (; lease < end; lease++) {
		if (!lease->job.granted || lease->job.given || (which == RECALL_NEXT &&
		    !lease->job.pushed && !lease->job.asked) || starts_used(jobs, lease))
			continue;
		lease->out = 0;
		take_back(jobs, &lease->job, which == RECALL_UNHEARD);
		pace_unused(jobs->pace, &lease->turn);
	}
}

long long
starts_wait_ms(const struct jobs *jobs)
{
	const struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.count;
	long long soonest = -1, wait = wants_wait_ms(&jobs->wants);

	if (may_start(jobs) && wait > 0)
		soonest = wait;
	if (!wanted(jobs))
		return soonest;
	if (jobs->books.terms.limits.reached)
		soonest = clock_sooner(soonest, limits_wait_ms(&jobs->books.terms.limits));
	if (!pace_on(jobs->pace) && !sites_there(&jobs->sites))
		return soonest;
	for (; lease < end; lease++)
		if (lease->rests)
			soonest = clock_sooner(soonest, rest_ms(jobs, lease));
	return soonest;
}
