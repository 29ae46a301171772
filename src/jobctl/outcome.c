#include <sys/wait.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/descriptors.h"
#include "../lib/status.h"
#include "batch.h"
#include "outcome.h"

static struct end
end_of(const struct batch *b, const struct seat *seat)
{
	int status = seat->child.status;

	return (struct end){
	    .verdict = {.id = seat->job->id,
	        .status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
	        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	        .limit = seat->late ? b->crew.limit : 0},
	    .slot = seat->number,
	    .start = seat->start,
	    .ms = clock_now() - seat->began,
	    .terminal = seat->terminal};
}

static void
report(struct batch *b, const struct end *end, const char *text)
{
	char line[VERDICT_ROOM];

	if (b->plan->quiet)
		return;
	if (end->terminal) {
		batch_say(b, "job %ld: ended, as it wanted to read the terminal: %s",
		    end->verdict.id, text);
		return;
	}
	verdict_text(line, sizeof line, &end->verdict, text);
	batch_say(b, "%s", line);
}

/* The line of the log, or NULL. */
static char *
line_of(struct batch *b, const struct job *job, const char *text)
{
	const struct end *end = &job->end;
	struct joblog_line line = {.id = job->id, .command = text, .start = end->start,
	    .ms = end->ms, .status = end->verdict.status, .signal = end->verdict.signal};
	char number[24], *whole;

	if (b->log.path == NULL)
		return NULL;
	snprintf(number, sizeof number, "%ld", end->slot);
	line.host = b->plan->labels == NULL ? number : b->plan->labels[end->slot - 1];
	line.bytes = output_bytes(&b->outputs, &job->output);
	if (end->verdict.limit > 0 && line.status == 0 && line.signal == 0)
		line.signal = SIGTERM; /* it has ended well, but too late */
	if (text == NULL || (whole = joblog_text(&line)) == NULL) {
		batch_say(b, "no memory:");
		batch_give_up(b, STATUS_TROUBLE);
		return NULL;
	}
	return whole;
}

void
outcome_log(void *context, const char *line)
{
	struct batch *b = context;

	if (joblog_write(&b->log, line) != 0)
		batch_give_up(b, STATUS_TROUBLE);
}

static void
show_output(struct batch *b, struct job *job, char *line)
{
	const char *tag = b->plan->tag ? job->line : NULL;

	if (b->plan->mode != OUTPUT_PLAIN)
		progress_clear(&b->progress);
	batch_flush(b, output_show(&b->outputs, &job->output, job->id, tag, line) != 0);
}

static int
tries_again(struct batch *b, struct job *job)
{
	long long pause = retry_wait_ms(&b->plan->retry, job->tries);

	if (pause < 0 || b->stopping != NOT)
		return 0;
	job->tries++;
	output_drop(&job->output);
	batch_put_later(b, job, clock_now() + pause);
	return 1;
}

/* When nobody reads our output any more, SIGPIPE would kill each job in turn. */
static void
look_at_reader(struct batch *b)
{
	if (b->plan->mode == OUTPUT_PLAIN && (descriptors_poll(STDOUT_FILENO, 0, 0) & POLLERR))
		batch_give_up(b, STATUS_TROUBLE);
}

/* The job is over, for good; told: what is said of it when it failed. */
static void
enter(struct batch *b, struct job *job, int told)
{
	char *text = NULL;

	if (b->log.path != NULL || told)
		text = recipe_text(&b->recipe, job->line, job->id, 0);
	show_output(b, job, line_of(b, job, text));
	if (told)
		report(b, &job->end, text == NULL ? job->line : text);
	free(text);
	free(job);
}

void
outcome_take(struct batch *b, struct seat *seat)
{
	struct job *job = seat->job;
	int failed = seat->child.status != 0 || seat->late;
	int stopped = failed && seat->ended && !seat->late;

	job->end = end_of(b, seat);
	if (failed)
		look_at_reader(b);
	if (failed && tries_again(b, job))
		return;
	enter(b, job, failed && !stopped);
	seat->job = NULL;
	if (stopped)
		b->stopped++;
	else
		batch_count(b, failed);
}

/* A job whose last try failed while we were stopping has failed, too. One that never had a
   token was never started. */
void
outcome_drop_later(struct batch *b)
{
	struct job *job = b->ready;

	if (job != NULL) {
		batch_put_later(b, job, 0);
		if (job->id == b->id && job->tries == 1)
			b->more = b->id-- > 0;
	}
	while ((job = b->later) != NULL) {
		b->later = job->next;
		if (job->tries > 1) {
			enter(b, job, 1);
			b->failed++;
		} else {
			free(job);
		}
	}
}
