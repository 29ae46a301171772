#define _XOPEN_SOURCE 700 /* nice */
#include <sys/select.h>
#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../book/joblog.h"
#include "../book/progress.h"
#include "../book/verdict.h"
#include "../lease/jobserver.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/feed.h"
#include "../lib/orders.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "batch.h"
#include "recipe.h"

enum {
	AGAIN = 100,            /* ms until what the system refused is tried again */
	MOST_FAILED = 100       /* as an exit status; 101 says more */
};

enum stopping { NOT, SOON, NOW };

struct batch {
	const struct plan *plan;
	struct feed feed;
	struct recipe recipe;
	struct crew crew;
	struct outputs outputs;
	struct joblog log;
	struct progress progress;
	struct job *later;      /* to be tried again, in order of their time */
	struct job *ready;      /* waits for a token of make's, or NULL */
	long id;                /* of the last job taken from the input */
	long succeeded, failed, stopped, skipped;
	int put_off;            /* no job was started last time, for it was too soon */
	long long deadline;     /* of the batch, or 0 */
	int more;               /* the input has not ended */
	enum stopping stopping;
	int answered;           /* interrupts that we have acted on */
	int refused;            /* the system would not start a job, and we said so */
	int status;             /* the exit status when it is not the count of failures */
};

/* A message, which must not mix with the line of progress. */
static void
say(struct batch *b, const char *format, ...)
{
	va_list args;

	progress_clear(&b->progress);
	va_start(args, format);
	complain_list(format, args);
	va_end(args);
}

/* Keeps a job until its time has come, in the order of these. */
static void
put_later(struct batch *b, struct job *job, long long due)
{
	struct job **at = &b->later;

	job->due = due;
	while (*at != NULL && (*at)->due <= due)
		at = &(*at)->next;
	job->next = *at;
	*at = job;
}

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

static void
stop(struct batch *b, enum stopping how)
{
	if (how == NOW && b->stopping != NOW)
		for (struct seat *seat = b->crew.seats; seat < b->crew.seats + b->crew.count;
		    seat++)
			if (seat->child.pid != 0)
				crew_end(&b->crew, seat);
	if (how > b->stopping)
		b->stopping = how;
}

/* The batch itself has failed, and ends. */
static void
give_up(struct batch *b, int status)
{
	if (b->status == 0)
		b->status = status;
	stop(b, status == STATUS_TROUBLE ? NOW : SOON);
}

static struct job *
make_job(struct batch *b, const char *line, size_t length)
{
	struct job *job = malloc(sizeof *job + length + 1);

	if (job == NULL) {
		say(b, "no memory:");
		give_up(b, STATUS_TROUBLE);
		return NULL;
	}
	*job = (struct job){.id = b->id, .tries = 1, .output = {-1, -1}};
	memcpy(job->line, line, length + 1);
	return job;
}

/* Shows the output whose turn has come; bad: that of a job could not even be kept. */
static void
flush_output(struct batch *b, int bad)
{
	if (!bad && outputs_flush(&b->outputs) == 0)
		return;
	if (errno != EPIPE || !b->plan->quiet)
		say(b, "output:");
	give_up(b, STATUS_TROUBLE);
}

static void
show_output(struct batch *b, struct job *job)
{
	const char *tag = b->plan->tag ? job->line : NULL;

	if (b->plan->mode != OUTPUT_PLAIN)
		progress_clear(&b->progress);
	flush_output(b, output_show(&b->outputs, &job->output, job->id, tag) != 0);
}

/* A job without output: those after it may be shown now. */
static void
skip_output(struct batch *b, long id)
{
	if (b->plan->mode == OUTPUT_ORDER)
		progress_clear(&b->progress);
	flush_output(b, output_skip(&b->outputs, id) != 0);
}

/* A job is over, or was refused. */
static void
count(struct batch *b, int failed)
{
	b->failed += failed;
	b->succeeded += !failed;
	if (halt_reached(&b->plan->halt, b->succeeded, b->failed))
		stop(b, b->plan->halt.now ? NOW : SOON);
}

/* A job that is not run at all, and counts as failed. */
static void
refuse(struct batch *b, struct job *job, const char *why)
{
	if (!b->plan->quiet)
		say(b, "job %ld: %s", job->id, why);
	output_drop(&job->output);
	skip_output(b, job->id);
	free(job);
	count(b, 1);
}

/* 1 when the job is to be left out, by what the log of an earlier run says. */
static int
ran_before(struct batch *b, const char *line)
{
	char *text = recipe_text(&b->recipe, line, b->id, 0);
	enum joblog_past past = text == NULL ? PAST_NONE : joblog_past(&b->log, b->id, text);

	free(text);
	if (past == PAST_OTHER) {
		say(b, "%s: job %ld was another one then; is this the log of another batch?",
		    b->log.path, b->id);
		give_up(b, STATUS_TROUBLE);
	}
	if (past != PAST_NONE && past != PAST_FAILED) {
		b->skipped += past == PAST_SUCCEEDED;
		skip_output(b, b->id);
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
	if (room_short(error)) {
		errno = error;
		if (!b->refused)
			say(b, "job %ld: tried again later:", job->id);
		b->refused = 1;
		put_later(b, job, pace_hold(&b->crew.pace, AGAIN)); /* nor any other job */
		return;
	}
	if (error != E2BIG && !recipe_varies(&b->recipe)) {
		errno = error;
		say(b, "%s:", b->recipe.words == NULL || b->recipe.script != NULL ? "sh"
		    : b->recipe.words[0]);
		give_up(b, error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
		job->tries = 0;
		count(b, 1);
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
			say(b, "%s:", b->outputs.directory);
			free(argv);
			output_drop(&job->output);
			free(job);
			give_up(b, STATUS_TROUBLE);
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
		say(b, "output:");
		give_up(b, STATUS_TROUBLE);
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

static void
start_jobs(struct batch *b)
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
		say(b, "job %ld: ended, as it wanted to read the terminal: %s", verdict.id, text);
		return;
	}
	verdict_text(line, sizeof line, &verdict, text);
	say(b, "%s", line);
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
		give_up(b, STATUS_TROUBLE);
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
	put_later(b, job, clock_now() + pause);
	return 1;
}

/* When nobody reads our output any more, SIGPIPE would kill each job in turn. */
static void
look_at_reader(struct batch *b)
{
	if (b->plan->mode == OUTPUT_PLAIN && (descriptors_poll(STDOUT_FILENO, 0, 0) & POLLERR))
		give_up(b, STATUS_TROUBLE);
}

static void
finish(struct batch *b, struct seat *seat)
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
		count(b, failed);
}

static void
suspend(struct batch *b)
{
	orders_suspend = 0;
	progress_clear(&b->progress);
	crew_signal(&b->crew, SIGTSTP);
	raise(SIGSTOP);
	crew_signal(&b->crew, SIGCONT);
}

/* The first interrupt lets running jobs end, the second ends them, the third
   kills them; any other signal that ends us ends them. */
static void
obey_signals(struct batch *b)
{
	int asked = orders_interrupts;

	if (orders_suspend)
		suspend(b);
	if (orders_end != 0 && b->stopping != NOW) {
		stop(b, NOW);
	} else if (asked > b->answered) {
		b->answered = asked;
		if (asked == 1 && b->crew.running > 0 && !b->plan->quiet)
			say(b, "interrupted: waiting for %ld running jobs; once more ends them",
			    b->crew.running);
		if (asked > 2)
			crew_signal(&b->crew, SIGKILL);
		stop(b, asked == 1 ? SOON : NOW);
	}
}

/* How long until something is to be done though nothing happens, or -1. */
static long long
wait_ms(struct batch *b)
{
	long long wait = clock_sooner(crew_wait_ms(&b->crew), progress_wait_ms(&b->progress));

	if (b->deadline != 0)
		wait = clock_sooner(wait, clock_wait_ms(b->deadline));
	if (b->stopping == NOT && b->put_off)
		return clock_sooner(wait, crew_free_ms(&b->crew));
	if (b->stopping == NOT && b->later != NULL && crew_free_ms(&b->crew) >= 0)
		wait = clock_sooner(wait, clock_wait_ms(b->later->due));
	return wait;
}

static int
wants_input(struct batch *b)
{
	return b->more && b->ready == NULL && !b->put_off && b->stopping == NOT &&
	    crew_free_ms(&b->crew) >= 0 && outputs_room(&b->outputs);
}

static void
wait_for_news(struct batch *b)
{
	long long wait = wait_ms(b);
	struct timespec time = clock_span(wait);
	fd_set set;
	int input = wants_input(b) ? b->feed.fd : -1;
	int token = b->ready != NULL && !b->put_off && b->stopping == NOT ? jobserver_fd() : -1, n;

	FD_ZERO(&set);
	if (input >= 0)
		FD_SET(input, &set);
	if (token >= 0)
		FD_SET(token, &set);
	n = input > token ? input : token;
	n = pselect(n + 1, &set, NULL, NULL, wait >= 0 ? &time : NULL, &b->crew.mask);
	if (n < 0 && errno != EINTR)
		fail(STATUS_TROUBLE, "pselect:");
	if (n > 0 && input >= 0 && FD_ISSET(input, &set) && feed_fill(&b->feed) != 0) {
		say(b, "input:");
		give_up(b, STATUS_TROUBLE);
	}
}

static int
finished(const struct batch *b)
{
	if (b->crew.running > 0)
		return 0;
	return b->stopping != NOT || (!b->more && b->ready == NULL && b->later == NULL);
}

static void
run(struct batch *b)
{
	struct seat *seat;

	for (;;) {
		start_jobs(b);
		if (finished(b))
			break;
		progress_show(&b->progress, b->succeeded + b->failed, b->failed, b->crew.running,
		    0);
		wait_for_news(b);
		obey_signals(b);
		if (b->deadline != 0 && b->deadline <= clock_now() && b->stopping != NOW) {
			say(b, "-L: the time for the whole batch is over");
			give_up(b, STATUS_NO_TOKEN);
			stop(b, NOW);
		}
		while ((seat = crew_reap(&b->crew)) != NULL)
			finish(b, seat);
		jobserver_settle(b->crew.running); /* others may want the tokens */
	}
}

/* A job whose last try failed while we were stopping has failed, too. One that never had a
   token was never started. */
static void
drop_later(struct batch *b)
{
	struct job *job = b->ready;

	if (job != NULL) {
		put_later(b, job, 0);
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

static void
sum_up(struct batch *b)
{
	char stopped[48] = "", rest[80] = "", skipped[48] = "";

	progress_show(&b->progress, b->succeeded + b->failed, b->failed, 0, 1);
	if (b->plan->quiet || (b->failed == 0 && b->stopping == NOT))
		return;
	if (b->stopped > 0)
		snprintf(stopped, sizeof stopped, ", %ld ended by us", b->stopped);
	if (b->skipped > 0)
		snprintf(skipped, sizeof skipped, ", %ld done before", b->skipped);
	if (b->more)
		snprintf(rest, sizeof rest, "; nothing after job %ld was started", b->id);
	complain("%ld succeeded, %ld failed%s%s%s", b->succeeded, b->failed, stopped, skipped,
	    rest);
}

static void
open_parts(struct batch *b)
{
	const struct plan *plan = b->plan;
	const char *directory = plan->mode == OUTPUT_FILES ? plan->directory : getenv("TMPDIR");

	if (feed_open(&b->feed, plan->file, plan->separator) != 0)
		fail(STATUS_TROUBLE, "%s:", plan->file);
	if (recipe_open(&b->recipe, plan->words, plan->shell) != 0)
		fail(STATUS_TROUBLE, "no memory:");
	if (outputs_open(&b->outputs, plan->mode, directory) != 0)
		exit(STATUS_TROUBLE);
	if (plan->log_path != NULL && !plan->dry &&
	    joblog_open(&b->log, plan->log_path, plan->resume) != 0)
		exit(STATUS_TROUBLE);
	progress_open(&b->progress, plan->progressing, plan->progressing ? feed_count(&b->feed)
	    : -1);
}

static void
open_batch(struct batch *b)
{
	sigset_t before;

	open_parts(b);
	errno = 0;
	if (b->plan->nice != 0 && nice((int)b->plan->nice) == -1 && errno != 0)
		fail(STATUS_TROUBLE, "-n %ld:", b->plan->nice);
	orders_open(&before);
	if (crew_open(&b->crew, b->plan->jobs, b->plan->labels, &before) != 0)
		fail(STATUS_TROUBLE, "%ld jobs:", b->plan->jobs);
	outputs_bound(&b->outputs, b->plan->jobs, &b->crew.mask);
	b->crew.limit = b->plan->job_limit;
	b->crew.grace = b->plan->grace;
	b->crew.pace.each = b->plan->each;
	b->crew.pace.any = b->plan->between;
	if (b->plan->batch_limit > 0)
		b->deadline = clock_now() + b->plan->batch_limit;
	b->more = 1;
}

/* 0, or the count of those that failed; or else what ended us. */
static int
close_batch(struct batch *b)
{
	if (outputs_close(&b->outputs) != 0 || joblog_close(&b->log) != 0 || fflush(stdout) != 0)
		give_up(b, STATUS_TROUBLE);
	drop_later(b);
	sum_up(b);
	jobserver_close();
	feed_close(&b->feed);
	recipe_close(&b->recipe);
	crew_close(&b->crew);
	if (b->status != 0)
		return b->status;
	return b->failed > MOST_FAILED ? MOST_FAILED + 1 : (int)b->failed;
}

int
batch_run(const struct plan *plan)
{
	static struct batch b;
	int status;

	b.plan = plan;
	open_batch(&b);
	run(&b);
	status = close_batch(&b);
	orders_die();
	return status;
}
