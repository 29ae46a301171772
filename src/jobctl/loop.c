#define _XOPEN_SOURCE 700 /* nice */
#include <sys/select.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobctl.h"

enum { MOST_FAILED = 100 /* as an exit status; 101 says more */ };

/* SIGUSR1 and SIGUSR2 change how many jobs run at once. There is no slot without a label where
   others have one, and none while there is no place. */
static void
set_width(struct batch *b, long jobs)
{
	long most = b->crew.labels == NULL ? WIDTH_MOST : sites_there(&b->sites) ? b->sites.slots
	    : b->plan->labelled;

	jobs = jobs < 1 ? 1 : jobs;
	crew_resize(&b->crew, jobs > most ? most : jobs);
	outputs_bound(&b->outputs, b->crew.count);
}

/* The first interrupt lets running jobs end, the second ends them, the third
   kills them; any other signal that ends us ends them. */
static void
obey_signals(struct batch *b)
{
	int asked = orders_interrupts;

	if (orders_more != 0)
		set_width(b, b->crew.count + orders_more);
	orders_more = 0;
	if (orders_resized)
		progress_resized(&b->progress);
	orders_resized = 0;
	if (orders_suspend) {
		orders_suspend = 0;
		progress_make_way();
		crew_signal(&b->crew, SIGTSTP);
		raise(SIGSTOP);
		crew_signal(&b->crew, SIGCONT);
	}
	if (orders_end != 0 && b->stopping != NOW) {
		batch_stop(b, NOW);
	} else if (asked > b->answered) {
		b->answered = asked;
		if (asked == 1 && b->crew.running > 0 && !b->plan->terms.quiet)
			complain("interrupted: waiting for %ld running jobs; "
			    "interrupt again to end them", b->crew.running);
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
	if (b->held)
		wait = clock_sooner(wait, limits_wait_ms(&b->limits));
	if (b->stopping == NOT && b->put_off)
		return clock_sooner(wait, crew_free_ms(&b->crew));
	if (b->stopping == NOT && b->later != NULL && crew_free_ms(&b->crew) >= 0)
		wait = clock_sooner(wait, clock_wait_ms(b->later->due));
	return wait;
}

/* To tell how long it may take, all jobs must be known: they are read ahead. */
static int
wants_input(struct batch *b)
{
	if (!b->more || b->stopping != NOT)
		return 0;
	return (b->progress.kind != PROGRESS_NONE && b->progress.total < 0 &&
	    b->source.feed.fd >= 0 && !b->plan->interactive && feed_ahead(&b->source.feed)) ||
	    (b->ready == NULL && !b->put_off && crew_free_ms(&b->crew) >= 0 &&
	    outputs_room(&b->outputs));
}

static void
read_input(struct batch *b)
{
	const char *path = b->plan->input.origins[0].path;
	long left = -1;

	if (feed_fill(&b->source.feed) == 0) {
		if (b->progress.kind != PROGRESS_NONE && b->progress.total < 0 &&
		    b->source.feed.ended && !b->source.begun)
			left = group_total(&b->group);
		if (left >= 0)
			b->progress.total = b->id - b->before - b->skipped + left;
		return;
	}
	complain("reading %s:", strcmp(path, "-") == 0 ? "standard input" : path);
	batch_give_up(b, STATUS_TROUBLE);
}

static void
wait_for_jobs(struct batch *b)
{
	long long wait = wait_ms(b);
	struct timespec time = clock_span(wait);
	fd_set set, out;
	int input = wants_input(b) ? b->source.feed.fd : -1;
	int token = b->ready != NULL && !b->held && !b->put_off && b->stopping == NOT
	    ? jobserver_fd() : -1, n;

	FD_ZERO(&set);
	FD_ZERO(&out);
	if (input >= 0)
		FD_SET(input, &set);
	if (token >= 0)
		FD_SET(token, &set);
	n = lines_fds(&set, &out);
	n = input > n ? input : n;
	n = pselect((token > n ? token : n) + 1, &set, &out, NULL, wait >= 0 ? &time : NULL,
	    &b->crew.mask);
	if (n < 0 && errno != EINTR)
		fail(STATUS_TROUBLE, "pselect:");
	if (n > 0 && input >= 0 && FD_ISSET(input, &set))
		read_input(b);
	batch_flush(b);
}

static void
show_progress(struct batch *b)
{
	struct figures now = {.done = b->succeeded + b->failed, .failed = b->failed,
	    .running = b->crew.running, .begun = b->crew.begun};
	const struct seat *seat = b->crew.seats;
	const struct job *job;
	char *text;

	b->progress.slots = b->crew.count;
	if (!progress_take(&b->progress, &now))
		return;
	for (; seat < b->crew.seats + b->crew.room; seat++) {
		if (seat->child.pid == 0)
			continue;
		job = seat->job;
		text = recipe_text(&b->recipe, &job->given, job->id, seat->number);
		progress_job(&b->progress, &(struct running_job){.slot = seat->number,
		    .id = job->id, .tries = job->tries, .pid = seat->child.pid,
		    .began = seat->began, .command = text,
		    .label = b->crew.labels == NULL ? NULL : b->crew.labels[seat->number - 1]});
		free(text);
	}
	progress_show(&b->progress, lines_inside());
}

static void
run_jobs(struct batch *b)
{
	struct seat *seat;

	for (;;) {
		begin_jobs(b);
		if (b->crew.running == 0 && (b->stopping != NOT ||
		    (!b->more && b->ready == NULL && b->later == NULL)))
			break;
		show_progress(b);
		wait_for_jobs(b);
		obey_signals(b);
		if (b->deadline != 0 && b->deadline <= clock_now() && b->stopping != NOW) {
			complain("--deadline: the time for the whole batch is over");
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
	struct outbox more = {0};

	progress_end(&b->progress, &(struct figures){.done = b->succeeded + b->failed,
	    .failed = b->failed});
	if (b->plan->terms.quiet || orders_end == SIGPIPE)
		return;
	if (b->stopping == NOT)
		joblog_check(&b->log);
	if (b->failed == 0 && b->stopping == NOT)
		return;
	if (b->stopped > 0)
		outbox_say(&more, ", %ld ended by us", b->stopped);
	if (b->unstarted > 0)
		outbox_say(&more, ", %ld not started", b->unstarted);
	if (b->skipped > 0)
		outbox_say(&more, ", %ld done before", b->skipped);
	if (b->more && b->succeeded + b->failed + b->stopped + b->skipped == 0)
		outbox_say(&more, "; no job was started");
	else if (b->more)
		outbox_say(&more, "; nothing after job %ld was started", b->id);
	complain("%ld succeeded, %ld failed%s", b->succeeded, b->failed, outbox_text(&more));
	outbox_drop(&more);
}

static void
open_input(struct batch *b)
{
	const struct plan *plan = b->plan;

	b->recipe = plan->recipe;
	if (recipe_open(&b->recipe, plan->words, plan->script) != 0) {
		if (errno == EINVAL)
			fail(STATUS_TROUBLE, "-c: {.} {/} {//} {/.} are parts of one argument, and "
			    "a job may have several: write {1.}, or: for x do ... \"$x\"; done");
		if (errno == ENOEXEC)
			fail(STATUS_TROUBLE, "-c: the line would follow the script as a command of "
			    "its own; write {} where it belongs");
	}
	if (plan->interactive)
		complain("reading %s from the terminal, one on each line, until Ctrl-D; for "
		    "arguments on the command line, write ::: before them",
		    plan->words[0] == NULL ? "commands" : "jobs");
	source_open(&b->source, &plan->input);
	group_open(&b->group, &b->source, &b->recipe, plan->most, plan->bytes,
	    !plan->fit ? -1 : plan->jobs < WIDTH_MOST ? plan->jobs : 0);
}

static void
open_batch(struct batch *b)
{
	const struct terms *terms = &b->plan->terms;
	sigset_t before;

	open_input(b);
	if (outputs_open(&b->outputs, terms, &b->log, STDOUT_FILENO, 1) != 0)
		exit(STATUS_TROUBLE);
	b->id = b->before = b->outputs.next - 1;
	progress_open(&b->progress, terms->progress, terms->progress != PROGRESS_NONE ||
	    b->source.feed.fd < 0 ? group_total(&b->group) : -1);
	errno = 0;
	if (terms->nice != 0 && nice((int)terms->nice) == -1 && errno != 0)
		fail(STATUS_TROUBLE, "--nice %ld:", terms->nice);
	b->filter = orders_open(&before);
	orders_hear_more();
	if (terms->progress != PROGRESS_NONE)
		orders_hear_terminal();
	if (!terms->dry)
		b->sites = b->plan->sites;
	if (!terms->dry && sites_open(&b->sites, b->plan->grace) != 0)
		fail(STATUS_TROUBLE, "no directory for the connections to places:");
	crew_open(&b->crew, b->plan->jobs, sites_there(&b->sites) ? b->sites.labels
	    : b->plan->labels, &before);
	outputs_bound(&b->outputs, b->plan->jobs);
	b->crew.sites = &b->sites;
	b->crew.limit = terms->limit;
	b->crew.grace = b->plan->grace;
	b->crew.pace.each = terms->each;
	b->crew.pace.any = terms->between;
	b->limits = terms->limits;
	limits_open(&b->limits);
	if (terms->deadline > 0)
		b->deadline = clock_now() + terms->deadline;
	b->more = 1;
	if (!terms->dry)
		board_open(&b->progress.board, "list", getppid(), "-", b->plan->called);
}

/* 0, or the count of those that failed; or else what ended us. */
static int
close_batch(struct batch *b)
{
	outcome_drop_later(b);
	if (outputs_close(&b->crew.mask) != 0)
		batch_fail_output(b);
	if (joblog_close(&b->log) != 0)
		batch_give_up(b, STATUS_TROUBLE);
	sum_up(b);
	progress_close(&b->progress);
	jobserver_close();
	if (!b->plan->terms.dry)
		sites_close(&b->sites);
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
	run_jobs(&b);
	status = close_batch(&b);
	orders_die();
	return status;
}
