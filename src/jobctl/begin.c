#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lease/jobserver.h"
#include "../lib/clock.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "batch.h"
#include "begin.h"

enum { AGAIN = 100 /* ms until what the system refused is tried again */ };

/* Takes the first, if its time has come; or NULL. */
static struct job *
take_later(struct batch *b)
{
	struct job *job = b->later;

	if (job == NULL || clock_wait_ms(job->due) > 0)
		return NULL;
	b->later = job->next;
	return job;
}

static struct job *
make_job(struct batch *b, const char *line, size_t length)
{
	struct job *job = malloc(sizeof *job + length + 1);

	if (job == NULL) {
		batch_say(b, "no memory:");
		batch_give_up(b, STATUS_TROUBLE);
		return NULL;
	}
	*job = (struct job){.id = b->id, .tries = 1, .output = {-1, -1}};
	memcpy(job->line, line, length + 1);
	return job;
}

/* A job that is not run at all, and counts as failed. */
static void
refuse(struct batch *b, struct job *job, const char *why)
{
	if (!b->plan->quiet)
		batch_say(b, "job %ld: %s", job->id, why);
	output_drop(&job->output);
	batch_skip_output(b, job->id);
	free(job);
	batch_count(b, 1);
}

/* 1 when the job is to be left out, by what the log of an earlier run says. */
static int
ran_before(struct batch *b, const char *line)
{
	char *text = recipe_text(&b->recipe, line, b->id, 0);
	enum joblog_past past = text == NULL ? PAST_NONE : joblog_past(&b->log, b->id, text);

	free(text);
	if (past == PAST_OTHER) {
		batch_say(b, "%s: job %ld was another one then; is this the log of another batch?",
		    b->log.path, b->id);
		batch_give_up(b, STATUS_TROUBLE);
	}
	if (past != PAST_NONE && past != PAST_FAILED) {
		b->skipped += past == PAST_SUCCEEDED;
		batch_skip_output(b, b->id);
		return 1;
	}
	return 0;
}

/* The next job that may be started now, or NULL. */
static struct job *
next_job(struct batch *b)
{
	struct job *job = b->ready != NULL ? b->ready : take_later(b);
	char *line;
	size_t length;
	int got;

	b->ready = NULL;
	if (job != NULL)
		return job;
	while (outputs_room(&b->outputs) && b->stopping == NOT &&
	    (got = feed_line(&b->feed, &line, &length)) != 0) {
		if (got < 0) {
			b->more = 0;
			b->progress.total = b->id - b->skipped;
			return NULL;
		}
		if (strlen(line) == length && !recipe_is_job(&b->recipe, line))
			continue;
		b->id++;
		if (b->plan->resume && ran_before(b, line))
			continue;
		if ((job = make_job(b, line, length)) == NULL || strlen(line) == length)
			return job;
		refuse(b, job, "the line has a NUL in it, see -0");
	}
	return NULL;
}

/* A job could not be started. When the system is short of something, it is tried again; else it
   has failed, and so would all others that have the same command. */
static void
not_started(struct batch *b, struct job *job, int error)
{
	output_drop(&job->output);
	errno = error;
	if (error == EMFILE && b->crew.running == 0 && b->outputs.waiting == 0) {
		batch_say(b, "job %ld:", job->id); /* nothing will ever be closed */
		batch_give_up(b, STATUS_TROUBLE);
		free(job);
		return;
	}
	if (room_short(error)) {
		if (!b->refused)
			batch_say(b, "job %ld: tried again later:", job->id);
		b->refused = 1;
		batch_put_later(b, job, pace_hold(&b->crew.pace, AGAIN)); /* nor any other job */
		return;
	}
	if (error != E2BIG && !recipe_varies(&b->recipe)) {
		batch_say(b, "%s:", b->recipe.words == NULL || b->recipe.script != NULL ? "sh"
		    : b->recipe.words[0]);
		batch_give_up(b, error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
		job->tries = 0;
		batch_count(b, 1);
		free(job);
		return;
	}
	refuse(b, job, strerror(error));
}

static void
start(struct batch *b, struct job *job)
{
	struct seat *seat = crew_free(&b->crew);
	char **argv = recipe_argv(&b->recipe, job->line, job->id, seat->number);
	int error = argv == NULL ? ENOMEM : 0;

	if (error == 0 && output_open(&b->outputs, &job->output, job->id) != 0) {
		error = errno;
		if (!room_short(error)) {
			batch_say(b, "%s:", b->outputs.directory);
			free(argv);
			output_drop(&job->output);
			free(job);
			batch_give_up(b, STATUS_TROUBLE);
			return;
		}
	}
	if (error == 0)
		error = crew_start(&b->crew, seat, job, argv);
	free(argv);
	if (error != 0)
		not_started(b, job, error);
}

/* -D: what would be run. */
static void
show(struct batch *b, struct job *job)
{
	char *text = recipe_text(&b->recipe, job->line, job->id, 1);

	if (text == NULL || puts(text) < 0 || fflush(stdout) != 0) {
		batch_say(b, "output:");
		batch_give_up(b, STATUS_TROUBLE);
	}
	free(text);
	free(job);
	b->succeeded++;
}

/* A token is taken only when there is a job for it, which is ready then. */
static int
may_start(struct batch *b, struct job *job)
{
	b->ready = !b->plan->borrowing || jobserver_take(b->crew.running) ? NULL : job;
	return b->ready == NULL;
}

void
begin_jobs(struct batch *b)
{
	struct job *job;
	long long wait;

	for (b->put_off = 0; b->stopping == NOT && (wait = crew_free_ms(&b->crew)) >= 0;) {
		b->put_off = wait > 0;
		if (b->put_off || (job = next_job(b)) == NULL)
			break;
		if (b->plan->dry)
			show(b, job);
		else if (!may_start(b, job))
			break;
		else
			start(b, job);
	}
	jobserver_settle(b->crew.running);
}
