#include <sys/wait.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../book/verdict.h"
#include "../lib/clock.h"
#include "../lib/descriptors.h"
#include "../lib/status.h"
#include "batch.h"
#include "outcome.h"

static void
show_output(struct batch *b, struct job *job)
{
	const char *tag = b->plan->tag ? job->line : NULL;

	if (b->plan->mode != OUTPUT_PLAIN)
		progress_clear(&b->progress);
	batch_flush(b, output_show(&b->outputs, &job->output, job->id, tag) != 0);
}

static struct verdict
judge(const struct batch *b, const struct seat *seat)
{
	int status = seat->child.status;

	return (struct verdict){
	    .id = seat->job->id,
	    .status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
	    .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	    .limit = seat->late ? b->crew.limit : 0};
}

static void
report(struct batch *b, const struct seat *seat, const char *text)
{
	struct verdict verdict = judge(b, seat);
	char line[VERDICT_ROOM];

	if (b->plan->quiet)
		return;
	if (seat->terminal) {
		batch_say(b, "job %ld: ended, as it wanted to read the terminal: %s", verdict.id,
		    text);
		return;
	}
	verdict_text(line, sizeof line, &verdict, text);
	batch_say(b, "%s", line);
}

static void
log_job(struct batch *b, const struct seat *seat, const char *text)
{
	struct verdict verdict = judge(b, seat);
	struct joblog_line line;
	char number[24];

	snprintf(number, sizeof number, "%ld", seat->number);
	line.id = verdict.id;
	line.host = b->plan->labels == NULL ? number : b->plan->labels[seat->number - 1];
	line.command = text;
	line.start = seat->start;
	line.ms = clock_now() - seat->began;
	line.bytes = output_bytes(&b->outputs, &seat->job->output);
	line.status = verdict.status;
	line.signal = verdict.signal;
	if (seat->late && line.status == 0 && line.signal == 0)
		line.signal = SIGTERM; /* it has ended well, but too late */
	if (joblog_write(&b->log, &line) != 0)
		batch_give_up(b, STATUS_TROUBLE);
}

static int
tries_again(struct batch *b, struct seat *seat)
{
	struct job *job = seat->job;
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

void
outcome_take(struct batch *b, struct seat *seat)
{
	struct job *job = seat->job;
	int failed = seat->child.status != 0 || seat->late;
	int stopped = failed && seat->ended && !seat->late;
	char *text = NULL;

	if (failed)
		look_at_reader(b);
	if (failed && tries_again(b, seat))
		return;
	if (b->log.path != NULL || (failed && !stopped))
		text = recipe_text(&b->recipe, job->line, job->id, 0);
	if (b->log.path != NULL)
		log_job(b, seat, text == NULL ? "" : text);
	show_output(b, job);
	if (failed && !stopped)
		report(b, seat, text == NULL ? job->line : text);
	free(text);
	free(job);
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
		if (job->tries > 1)
			b->failed++;
		free(job);
	}
}
