#include "ends.h"
#include "jobs.h"
#include "plain.h"

int
plain_batch(const struct jobs *jobs)
{
	const struct books *b = &jobs->books;
	const struct terms *t = &b->terms;

	return b->waits && !b->words && !b->asks && !b->ended && !b->failed_too &&
	    b->worker == NULL && t->mode == OUTPUT_PLAIN && t->directory == NULL &&
	    t->log_path == NULL && t->halt.what == HALT_NEVER && t->retry.tries == 1 &&
	    t->limit == 0 && t->limits.floor == 0 && t->progress == PROGRESS_NONE && !t->dry &&
	    !jobs->borrowing && !pace_on(jobs->pace) && jobs->deadline == 0;
}

/* Of an earlier lease of a slot the shell is asked: only the current one remembers. */
int
plain_hope(struct jobs *jobs, struct lease *lease, struct job *job)
{
	if (!jobs->plain || job->known || job->speaks || job->ended || jobs->killing ||
	    jobs->alone || lease >= jobs->leases.list + jobs->leases.count)
		return 0;
	job->known = 1;
	job->status = 0;
	lease->hoped = job->id + 1;
	return 1;
}

static void
fail(struct job *job, long status, const char *text)
{
	ends_learn(job, status, text);
	if (status == 127) /* or the shell does not know that child any more */
		job->why = 't';
}

/* Its lease may have to close yet. */
void
plain_failed(struct jobs *jobs, long id, long status, const char *text)
{
	struct job past = {.granted = 1, .id = id, .tries = 1, .after = -1};

	for (size_t i = 0; i < jobs->leases.total; i++) {
		struct lease *lease = jobs->leases.list + i;

		if (lease->job.granted && lease->job.id == id && !lease->job.known)
			fail(&lease->job, status, text);
		if (lease->hoped != id + 1)
			continue;
		lease->hoped = 0;
		past.slot = lease->slot;
		fail(&past, status, text);
		jobs->books.succeeded--;
		ends_enter(jobs, &past, lease->name);
		return;
	}
}

void
plain_speaks(struct jobs *jobs, long id)
{
	for (size_t i = 0; i < jobs->leases.count; i++)
		if (jobs->leases.list[i].job.granted && jobs->leases.list[i].job.id == id)
			jobs->leases.list[i].job.speaks = 1;
}

void
plain_waited(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->leases.total; i++)
		jobs->leases.list[i].hoped = 0;
}

long
plain_unknown(const struct jobs *jobs)
{
	long count = 0;

	for (size_t i = 0; i < jobs->leases.count; i++)
		count += jobs->leases.list[i].hoped != 0;
	return count;
}
