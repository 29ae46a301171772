#include <stdlib.h>
#include <string.h>

#include "attended.h"

enum {
	ELSEWHERE = -2, /* a copy of the shell answers: it cannot know */
	UNKNOWN = 137   /* the status of a job that nobody knows: it was killed */
};

/* A job without a last word: the shell that started it is asked. */
struct unknown {
	struct unknown *next;
	int elsewhere;  /* a copy of that shell has heard the question, and cannot answer */
	struct job job;
	char lease[LEASE_NAME];
};

void
ends_give_up(struct jobs *jobs, struct job *job)
{
	books_enter(&jobs->books, job, NULL);
	again_end(jobs, job);
}

/* Its shell waits for another lease, after that many ms. */
static void
wait_again(struct jobs *jobs, struct job *job, long long pause)
{
	struct want want = {.job = *job, .due = clock_now() + pause};

	want.job.kept = job->kept = 1;
	if (wants_add(&jobs->wants, &want) == 0)
		return;
	ends_give_up(jobs, job);
	job->kept = 0;
	stops_no_memory(jobs);
}

/* Enters the end of a job, on the lease of that name, into the books; or it waits for another try.
   A job that never began at its place has not been tried. */
static void
enter_end(struct jobs *jobs, struct job *job, const char *lease)
{
	job->ended |= jobs->killing;
	job->again = job->status != 0 && again_can(jobs, job);
	if (job->never && !job->ended && job->again && jobs->books.result == 0) {
		books_forget(&jobs->books, job, lease);
		job->put_back = 1;
		job->tries--;
		wait_again(jobs, job, 0);
	} else if (books_ended(&jobs->books, job, lease)) {
		wait_again(jobs, job, retry_wait_ms(&jobs->books.terms.retry, job->tries,
		    job->after));
	} else {
		again_end(jobs, job);
	}
}

/* The shell has told the status of the job, or a negative number if nobody knows, and the command
   or NULL. */
static void
learn_status(struct job *job, long status, const char *text)
{
	job->known = 1;
	job->status = status < 0 ? UNKNOWN : heard_status(status);
	if (text != NULL && *text != '\0' && job->text == NULL &&
	    (job->text = strdup(text)) != NULL)
		job->told = 1;
}

/* Asks the shell: 0, or -1 if that cannot be. */
static int
ask_how(struct jobs *jobs, struct job *job, struct lease *lease)
{
	struct unknown *unknown = malloc(sizeof *unknown);

	if (unknown == NULL) {
		job->status = UNKNOWN;
		stops_no_memory(jobs);
		return -1;
	}
	unknown->job = *job;
	unknown->elsewhere = 0;
	memcpy(unknown->lease, lease->name, sizeof unknown->lease);
	unknown->next = jobs->unknown;
	jobs->unknown = unknown;
	lease->asked = 1;
	attendant_tell("who %ld %s\n", job->id, lease->name);
	return 0;
}

/* The job there has ended without a word: 1 if that is a success so far; job is its copy. Of an
   earlier lease of a slot the shell is asked: only the current one remembers. */
static int
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

/* A shell without our library has not said who it is, and answers nothing. */
void
ends_take(struct jobs *jobs, struct lease *lease)
{
	struct job job = lease->job;
	int kept = job.kept;

	job.given = 0; /* else not seen yet, if the try was short */
	lease->job = (struct job){0};
	jobs->books.running--;
	if (!job.never && !job.lost)
		sites_ended(&jobs->sites, lease->slot, SITE_OWN, NULL, 0);
	job.slot = lease->slot;
	job.start = lease->start;
	job.ms = clock_now() - lease->since;
	if (jobs->alone && !job.known)
		job.status = UNKNOWN;
	if (plain_hope(jobs, lease, &job) || job.known || jobs->alone ||
	    jobs->books.who == NULL || ask_how(jobs, &job, lease) != 0)
		enter_end(jobs, &job, lease->name);
	if (job.kept && !kept)
		lease->kept = job.id + 1; /* the script knows the job's shell by this name */
}

/* Gives the slot another lease meanwhile: the job's output stays in files of its own, and the shell
   that knows its end keeps that under its name. 0, or -1 if this cannot be. */
static int
set_apart(struct jobs *jobs, struct unknown *unknown)
{
	size_t i = leases_named(&jobs->leases, unknown->lease);

	if (!outputs_room(&jobs->books.outputs) || (i < jobs->leases.count &&
	    jobs->leases.list[i].asked && leases_retire(&jobs->leases, i) != 0))
		return -1; /* the copy could not go on */
	unknown->elsewhere = 1;
	return 0;
}

int
ends_asked(const struct jobs *jobs)
{
	const struct unknown *unknown = jobs->unknown;

	while (unknown != NULL && unknown->elsewhere)
		unknown = unknown->next;
	return unknown != NULL;
}

/* A copy of the shell had the question, and could not answer. */
void
ends_ask_again(struct jobs *jobs)
{
	for (struct unknown *unknown = jobs->unknown; unknown != NULL; unknown = unknown->next) {
		if (unknown->elsewhere)
			attendant_tell("who %ld %s\n", unknown->job.id, unknown->lease);
		unknown->elsewhere = 0;
	}
}

/* The answer to "who": tokend(5). */
void
ends_know(struct jobs *jobs, long id, long status, const char *text)
{
	struct unknown **at = &jobs->unknown, *unknown;
	size_t i;

	while (*at != NULL && (*at)->job.id != id)
		at = &(*at)->next;
	if ((unknown = *at) == NULL)
		return;
	if (status == ELSEWHERE && set_apart(jobs, unknown) == 0)
		return;
	*at = unknown->next;
	learn_status(&unknown->job, status, text);
	enter_end(jobs, &unknown->job, unknown->lease);
	i = leases_named(&jobs->leases, unknown->lease);
	free(unknown);
	if (i == jobs->leases.total || !jobs->leases.list[i].asked)
		return; /* another job has had it since */
	jobs->leases.list[i].asked = 0;
	if (i >= jobs->leases.count)
		leases_drop(&jobs->leases, i);
}

void
ends_nobody_knows(struct jobs *jobs)
{
	while (jobs->unknown != NULL)
		ends_know(jobs, jobs->unknown->job.id, -1, NULL);
	jobs->alone = 1;
}

void
ends_close(struct jobs *jobs)
{
	struct unknown *unknown;

	while ((unknown = jobs->unknown) != NULL) {
		jobs->unknown = unknown->next;
		again_end(jobs, &unknown->job);
		free(unknown);
	}
}

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

static void
fail_job(struct job *job, long status, const char *text)
{
	learn_status(job, status, text);
	if (status == 127) /* or the shell does not know that child any more */
		job->why = 't';
}

/* Its lease may have to close yet. */
void
plain_failed(struct jobs *jobs, long id, long status, const char *text)
{
	struct job past = {.granted = 1, .id = id, .tries = 1, .after = -1};
	struct lease *lease = leases_of(&jobs->leases, id);

	if (lease != NULL && !lease->job.known)
		fail_job(&lease->job, status, text);
	for (size_t i = 0; i < jobs->leases.total; i++) {
		lease = jobs->leases.list + i;
		if (lease->hoped != id + 1)
			continue;
		lease->hoped = 0;
		past.slot = lease->slot;
		fail_job(&past, status, text);
		jobs->books.succeeded--;
		enter_end(jobs, &past, lease->name);
		return;
	}
}

void
plain_speaks(struct jobs *jobs, long id)
{
	struct lease *lease = leases_of(&jobs->leases, id);

	if (lease != NULL)
		lease->job.speaks = 1;
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
