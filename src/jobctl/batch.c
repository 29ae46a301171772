#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobctl.h"

void
batch_put_later(struct batch *b, struct job *job, long long due)
{
	struct job **at = &b->later;

	job->due = due;
	while (*at != NULL && (*at)->due <= due)
		at = &(*at)->next;
	job->next = *at;
	*at = job;
}

void
batch_stop(struct batch *b, enum stopping how)
{
	if (how == NOW && b->stopping != NOW)
		for (struct seat *seat = b->crew.seats; seat < b->crew.seats + b->crew.room;
		    seat++)
			if (seat->child.pid != 0)
				crew_end(&b->crew, seat);
	if (how > b->stopping)
		b->stopping = how;
}

void
batch_give_up(struct batch *b, int status)
{
	if (b->status == 0)
		b->status = status;
	batch_stop(b, status == STATUS_TROUBLE ? NOW : SOON);
}

/* Nobody reads our output any more: the batch ends, without a word when we are a filter. */
static void
lose_reader(struct batch *b)
{
	if (b->filter)
		orders_end = SIGPIPE;
	else if (b->stopping != NOW && !b->plan->terms.quiet)
		complain("output: nobody reads it any more");
	batch_give_up(b, STATUS_TROUBLE);
}

char *
batch_tag(const struct batch *b, const struct job *job, long slot)
{
	const struct terms *terms = &b->plan->terms;

	return terms->tag ? recipe_fill(&b->recipe, terms->tag_text, &job->given, job->id, slot)
	    : NULL;
}

void
batch_fail_output(struct batch *b)
{
	if (errno == EPIPE) {
		lose_reader(b);
		return;
	}
	if (!b->unshown)
		complain("output:");
	b->unshown = 1;
	batch_give_up(b, STATUS_TROUBLE);
}

void
batch_flush(struct batch *b)
{
	if (lines_pump() != 0)
		batch_fail_output(b);
	if (b->log.failed)
		batch_give_up(b, STATUS_TROUBLE);
}

void
batch_count(struct batch *b, int failed)
{
	b->failed += failed;
	b->succeeded += !failed;
	if (halt_reached(&b->plan->terms.halt, b->succeeded, b->failed))
		batch_stop(b, b->plan->terms.halt.now ? NOW : SOON);
}

static struct end
end_of(const struct batch *b, const struct seat *seat)
{
	int status = seat->child.status;

	return (struct end){.id = seat->job->id,
	    .status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
	    .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	    .limit = seat->late ? b->crew.limit : 0,
	    .why = seat->why,
	    .host = b->crew.labels == NULL ? NULL : b->crew.labels[seat->number - 1],
	    .slot = seat->number,
	    .start = seat->start,
	    .ms = clock_now() - seat->began,
	    .bytes = output_ended(&b->outputs, &seat->job->output)};
}

static void
show_outcome(struct batch *b, struct job *job, char *line)
{
	char *tag = batch_tag(b, job, job->end.slot);

	if (output_show(&b->outputs, &job->output, job->id, tag, line) != 0)
		batch_fail_output(b);
	else
		batch_flush(b);
	free(tag);
}

static void
put_back(struct batch *b, struct job *job, long long due)
{
	if (b->plan->terms.mode == OUTPUT_LINES)
		show_outcome(b, job, NULL); /* for much of it was shown */
	else if (b->plan->terms.mode != OUTPUT_FILES)
		job->end.bytes = 0; /* nobody sees them */
	output_drop(&job->output);
	batch_put_later(b, job, due);
}

/* The job is over, for good. why: it was not run; told: it is said how it failed. */
static void
enter(struct batch *b, struct job *job, const char *why, int told)
{
	char *text = NULL;

	told = told && !b->plan->terms.quiet;
	if (b->log.path != NULL || told)
		text = recipe_text(&b->recipe, &job->given, job->id, 0);
	show_outcome(b, job, joblog_text(&b->log, &job->end, text));
	if (told && why != NULL)
		complain("job %ld: %s: %s", job->id, why, text);
	else if (told)
		verdict_say(&job->end, text);
	free(text);
	free(job);
}

/* Where the job ran, and 1 when it was not begun there, and is put back. */
static int
never_begun(struct batch *b, struct seat *seat, enum site_end *where)
{
	int status = seat->child.status, quiet = b->plan->terms.quiet;
	char why[512];

	*where = sites_outcome(&b->sites, seat->number,
	    WIFEXITED(status) ? WEXITSTATUS(status) : -1, why, sizeof why,
	    quiet || seat->ended);
	if (*where == SITE_LOST && !seat->ended && !quiet)
		complain("job %ld: lost at %s: %s", seat->job->id, seat->job->end.host, why);
	if (*where != SITE_NEVER || seat->ended)
		return 0;
	put_back(b, seat->job, 0);
	if (b->stopping == NOT && !sites_left(&b->sites)) {
		complain(REST_NONE "; once this works, run the list again%s: jobat %s true",
		    b->log.path != NULL ? " with --resume-failed" : "", b->sites.list[0].name);
		batch_give_up(b, STATUS_GONE);
	}
	return 1;
}

void
outcome_take(struct batch *b, struct seat *seat)
{
	struct job *job = seat->job;
	const struct retry *retry = &b->plan->terms.retry;
	int failed = seat->child.status != 0 || seat->late;
	int stopped = failed && seat->ended && !seat->late;
	enum site_end where;

	job->end = end_of(b, seat);
	batch_flush(b);
	if (never_begun(b, seat, &where))
		return;
	if (failed && b->plan->terms.mode == OUTPUT_PLAIN &&
	    (descriptors_poll(STDOUT_FILENO, 0, 0) & POLLERR))
		lose_reader(b); /* or SIGPIPE would kill each job in turn */
	if (failed && job->tries < retry->tries && b->stopping == NOT &&
	    (where != SITE_LOST || !b->sites.once)) {
		put_back(b, job, clock_now() + retry_wait_ms(retry, job->tries++, -1));
		return;
	}
	enter(b, job, NULL, failed && !stopped && where != SITE_LOST &&
	    !(orders_end == SIGPIPE &&
	    job->end.signal == SIGPIPE));
	seat->job = NULL;
	if (stopped)
		b->stopped++;
	else
		batch_count(b, failed);
}

void
outcome_refuse(struct batch *b, struct job *job, int status, const char *why)
{
	output_drop(&job->output);
	job->end = (struct end){.id = job->id, .status = status};
	clock_gettime(CLOCK_REALTIME, &job->end.start);
	enter(b, job, why, 1);
	batch_count(b, 1);
}

/* A job whose last try failed while we were stopping has failed, too. One that never had a
   token was never started. */
void
outcome_drop_later(struct batch *b)
{
	struct job *job = b->ready;

	if (job != NULL && job->id == b->id && job->tries == 1) {
		b->id--; /* as if it had not been read */
		b->more = 1;
		free(job);
	} else if (job != NULL)
		batch_put_later(b, job, 0);
	b->ready = NULL;
	while ((job = b->later) != NULL) {
		b->later = job->next;
		if (job->tries > 1) {
			enter(b, job, NULL, 1);
			b->failed++;
			continue;
		}
		b->unstarted++;
		free(job);
	}
}
