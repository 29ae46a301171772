#define _XOPEN_SOURCE 700 /* nice */
#include <sys/select.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lease/jobserver.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/orders.h"
#include "../lib/status.h"
#include "batch.h"
#include "begin.h"
#include "loop.h"
#include "outcome.h"

enum { MOST_FAILED = 100 /* as an exit status; 101 says more */ };

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
		batch_stop(b, NOW);
	} else if (asked > b->answered) {
		b->answered = asked;
		if (asked == 1 && b->crew.running > 0 && !b->plan->quiet)
			batch_say(b, "interrupted: waiting for %ld running jobs; "
			    "once more ends them", b->crew.running);
		if (asked > 2)
			crew_signal(&b->crew, SIGKILL);
		batch_stop(b, asked == 1 ? SOON : NOW);
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
		batch_say(b, "input:");
		batch_give_up(b, STATUS_TROUBLE);
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
		begin_jobs(b);
		if (finished(b))
			break;
		progress_show(&b->progress, b->succeeded + b->failed, b->failed, b->crew.running,
		    0);
		wait_for_news(b);
		obey_signals(b);
		if (b->deadline != 0 && b->deadline <= clock_now() && b->stopping != NOW) {
			batch_say(b, "-L: the time for the whole batch is over");
			batch_give_up(b, STATUS_NO_TOKEN);
			batch_stop(b, NOW);
		}
		while ((seat = crew_reap(&b->crew)) != NULL)
			outcome_take(b, seat);
		jobserver_settle(b->crew.running); /* others may want the tokens */
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
	b->outputs.shown = outcome_log;
	b->outputs.context = b;
	b->outputs.sync = b->log.sync = plan->sync;
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
	outcome_drop_later(b);
	if (outputs_close(&b->outputs) != 0 || joblog_close(&b->log) != 0 || fflush(stdout) != 0)
		batch_give_up(b, STATUS_TROUBLE);
	sum_up(b);
	jobserver_close();
	feed_close(&b->feed);
	recipe_close(&b->recipe);
	crew_close(&b->crew);
	if (b->status != 0)
		return b->status;
	if (b->outputs.lost)
		return STATUS_TROUBLE;
	return b->failed > MOST_FAILED ? MOST_FAILED + 1 : (int)b->failed;
}

int
loop_run(const struct plan *plan)
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
