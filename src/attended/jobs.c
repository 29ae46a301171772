#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "attended.h"

#define BELL "bell"

enum {
	SOON = 2,          /* ms until we look whether a shell has opened its lease */
	AGAIN = 20,        /* ms until we look again for the pid of a late job, or for calls */
	LONGEST = 86400000 /* ms to sleep: an int may hold no more than some days */
};

static int
is_current(const struct jobs *jobs, const struct lease *lease)
{
	return lease < jobs->leases.list + jobs->leases.count;
}

/* Like a lease: the shell opens and closes it, and that is news. */
static int
open_bell(struct jobs *jobs)
{
	if ((jobs->bell = lease_open(jobs->leases.dir, BELL)) >= 0 &&
	    news_add(jobs->leases.news, jobs->bell, POLLIN) == 0)
		return 0;
	descriptors_close(&jobs->bell);
	return -1;
}

int
jobs_open(struct jobs *jobs, struct news *news, int dir, size_t count)
{
	jobs->bell = jobs->heard = jobs->blocked = -1;
	jobs->calls.feed.fd = jobs->calls.next = -1;
	jobs->books.first_failed = -1;
	jobs->books.dir = dir;
	jobs->ender.news = news;
	jobs->ender.path = jobs->path;
	snprintf(jobs->ender.grace, sizeof jobs->ender.grace, "%s",
	    jobs->books.grace == NULL ? "5" : jobs->books.grace);
	if (leases_open(&jobs->leases, news, dir, count) != 0)
		return -1;
	again_never(jobs); /* shells that have waited for a dead dispenser */
	if (!jobs->lines)
		return 0;
	if (calls_open(&jobs->calls, dir) == 0 && open_bell(jobs) == 0)
		return books_open(&jobs->books);
	complain("%s.d/%s:", jobs->path, jobs->calls.feed.fd < 0 ? "calls" : BELL);
	return -1;
}

void
jobs_close(struct jobs *jobs)
{
	if (jobs->bell >= 0)
		unlinkat(jobs->leases.dir, BELL, 0); /* first: see leases_close() */
	news_drop(jobs->leases.news, &jobs->bell);
	if (jobs->lines)
		calls_close(&jobs->calls);
	shell_close(jobs);
	leases_close(&jobs->leases);
	progress_close(&jobs->books.progress);
}

void
jobs_announce(struct jobs *jobs, char **labels, long labelled)
{
	struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.count;

	if (jobs->books.who != NULL)
		program = jobs->books.who;
	jobs->books.labels = labels;
	jobs->books.labelled = labelled;
	/* A number without a job would hold back the output of later ones. */
	jobs->books.asks |= jobs->borrowing || jobs->books.terms.mode == OUTPUT_ORDER;
	jobs->plain = plain_batch(jobs);
	attendant_say("ready %zu%s%s%s%s%s\n", jobs->leases.count, jobs->plain ? " plain" : "",
	    jobs->books.asks ? " asks" : "",
	    pace_on(jobs->pace) || jobs->books.terms.limit != 0 ? " clock" : "",
	    jobs->books.terms.limit != 0 || jobs->deadline != 0 || jobs->books.asks ? " tells" : "",
	    jobs->books.outputs.files ? " files" :
	    jobs->books.terms.mode == OUTPUT_PLAIN ? "" : " kept");
	board_open(&jobs->books.progress.board, "batch", jobs->ender.script, jobs->path, "");
	for (long i = 0; i < labelled; i++)
		attendant_say("slot %ld %s\n", i + 1, labels[i]);
	for (; lease < end; lease++) {
		lease->since = clock_now();
		if (jobs->inherited)
			pace_begin(jobs->pace, &lease->turn); /* nobody knows when it did */
	}
	starts_serve(jobs);
}

void
jobs_orphan(struct jobs *jobs)
{
	jobs->asked = 0;
	if (!jobs->borrowing)
		return;
	if (jobs->heard >= 0)
		news_forget(jobs->leases.news, jobs->heard);
	jobs->heard = -1;
	jobserver_close();
	jobs->borrowing = 0;
}

/* Nobody can say any more how jobs ended, or that the batch is over. */
static void
end_unheard(struct jobs *jobs)
{
	starts_recall(jobs, RECALL_ALL);
	ends_nobody_knows(jobs);
	jobs->waits = WAITS_CLOSE;
}

int
jobs_outlive(struct jobs *jobs)
{
	const struct books *b = &jobs->books;

	if (b->terms.mode != OUTPUT_GROUP && b->terms.mode != OUTPUT_ORDER && b->log.path == NULL)
		return 0; /* nobody wants to know how they end */
	attendant_flush(); /* a copy of the shell may read it */
	attendant_mute();
	shell_hear(jobs);
	end_unheard(jobs);
	return 1;
}

void
jobs_astray(struct jobs *jobs)
{
	jobs->calls.astray = 1;
	shell_hear(jobs);
	books_stop(&jobs->books, STATUS_GONE);
	stops_say(jobs, "away"); /* also to a shell that has asked us to end the jobs */
	end_unheard(jobs);
}

/* Gives the slot another lease: by the name of this one the script knows the shell of a job that is
   not over, and would wait for it before the next job there. Returns the index of this one. */
static size_t
keep_lease(struct jobs *jobs, size_t i)
{
	struct want want;

	pace_home(jobs->pace, &jobs->leases.list[i].turn);
	if (leases_retire(&jobs->leases, i) == 0) {
		jobs->leases.list[i].since = clock_now();
		return jobs->leases.total - 1;
	}
	complain("job %ld: cannot be tried again:", jobs->leases.list[i].kept - 1);
	if (wants_cut(&jobs->wants, jobs->leases.list[i].kept - 1, &want))
		ends_give_up(jobs, &want.job);
	return i;
}

static void
lease_came_home(struct jobs *jobs, size_t i)
{
	struct lease *lease;
	size_t slot = 0;
	int fd = jobs->leases.list[i].fd;

	/* First the lines of the shell about the job, then its end. This may set leases apart, and
	   move them. */
	shell_hear(jobs);
	if ((i = leases_find(&jobs->leases, fd)) == jobs->leases.total)
		return;
	lease = jobs->leases.list + i;
	if (lease->job.granted)
		ends_take(jobs, lease);
	if (is_current(jobs, lease) && lease->kept > 0)
		i = keep_lease(jobs, i);
	lease = jobs->leases.list + i;
	if (is_current(jobs, lease)) {
		lease->out = 0;
		pace_home(jobs->pace, &lease->turn);
		if (leases_renew(&jobs->leases, i) == 0) {
			lease->since = clock_now();
			lease->running = lease->early = 0;
			return;
		}
		if (errno != ENOENT) { /* else the directory has gone, and tokend soon sees that */
			complain("slot %ld is withdrawn:", lease->slot);
			while (slot < jobs->leases.count && jobs->leases.list[slot].fd < 0)
				slot++;
			if (slot == jobs->leases.count)
				stops_now(jobs, STATUS_GONE, "withdrawn");
		}
	}
	/* The name of a job's lease is not used again before the end of the job is known. */
	if (!is_current(jobs, lease) && (!(lease->asked || lease->kept > 0) ||
	    leases_renew(&jobs->leases, i) != 0))
		leases_drop(&jobs->leases, i);
}

/* Reads an ended job to its last word, even while the others are not read. */
static void
lease_event(struct jobs *jobs, size_t i)
{
	if (!heard_on(jobs, jobs->leases.list + i))
		lease_came_home(jobs, i);
}

void
jobs_left_open(struct jobs *jobs)
{
	char text[48];
	long left, unknown;
	int fd;

	shell_hear(jobs);
	for (size_t i = 0; i < jobs->leases.total;)
		if ((fd = jobs->leases.list[i].fd) >= 0 &&
		    descriptors_poll(fd, POLLIN, 0) & POLLHUP)
			lease_event(jobs, i);
		else
			i++;
	left = (long)starts_open(jobs) + jobs->wants.count;
	unknown = plain_unknown(jobs);
	if (jobs->closed || jobs->killing || jobs->books.failed + left + unknown == 0)
		return;
	snprintf(text, sizeof text, ", not waited for: %ld", unknown);
	complain("the script ended without jobctl_close, which waits; failed jobs: %ld, "
	    "unfinished: %ld%s", jobs->books.failed, left, unknown > 0 ? text : "");
}

/* Without a descriptor or memory for another lease, the token comes home with the one it has. */
static void
take_returned(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->leases.count; i++) {
		struct lease *lease = jobs->leases.list + i;
		int early = lease->early;

		lease->early = 0;
		if (!early || !(lease->job.granted || lease->adopted))
			continue;
		pace_home(jobs->pace, &lease->turn);
		if (leases_retire(&jobs->leases, i) != 0)
			continue;
		jobs->leases.list[i].since = clock_now();
		lease = jobs->leases.list + jobs->leases.total - 1;
		if (lease->job.granted)
			attendant_tell("early %s\n", lease->name);
	}
}

/* If it cannot be opened now, the shell finds no bell, and we read its file every AGAIN ms. */
static void
bell_rang(struct jobs *jobs)
{
	if (jobs->bell >= 0)
		news_drop(jobs->leases.news, &jobs->bell);
	if (open_bell(jobs) != 0)
		unlinkat(jobs->leases.dir, BELL, 0);
	shell_hear(jobs);
}

int
jobs_event(struct jobs *jobs, int fd)
{
	size_t i = leases_find(&jobs->leases, fd);

	if (i < jobs->leases.total)
		lease_event(jobs, i);
	else if (fd == jobs->bell)
		bell_rang(jobs);
	else if (ender_event(&jobs->ender, fd))
		kills_done(jobs);
	else if (fd != jobs->heard && fd != jobs->blocked)
		return 0;
	return 1;
}

/* How long a job may still take, or -1. */
static long long
left_ms(const struct jobs *jobs, const struct lease *lease)
{
	return lease->running && jobs->books.terms.limit != 0
	    ? clock_wait_ms(lease->since + jobs->books.terms.limit) : -1;
}

/* A job whose pid the shell is about to tell is ended a little later. */
static void
end_late(struct jobs *jobs)
{
	int late = 0;

	for (size_t i = 0; i < jobs->leases.total; i++)
		late |= left_ms(jobs, jobs->leases.list + i) == 0;
	if (!late)
		return;
	shell_hear(jobs);
	for (size_t i = 0; i < jobs->leases.total; i++) {
		struct lease *lease = jobs->leases.list + i;

		if (left_ms(jobs, lease) == 0 && lease->job.pid != 0) {
			lease->running = 0;
			lease->job.late = 1;
		}
	}
	kills_begin(jobs, 0);
}

static void
show_progress(struct jobs *jobs)
{
	const struct books *books = &jobs->books;
	struct progress *progress = &jobs->books.progress;
	const struct figures now = books_figures(books);
	const struct lease *lease = jobs->leases.list;
	char *text;

	progress->slots = (long)jobs->leases.count;
	progress->total = books_total(books);
	if (!progress_take(progress, &now))
		return;
	for (; lease < jobs->leases.list + jobs->leases.total; lease++) {
		if (!lease->job.granted)
			continue;
		text = lease->job.text == NULL ? NULL : quote_again(lease->job.text);
		progress_job(progress, &(struct running_job){.slot = lease->slot,
		    .id = lease->job.id, .tries = lease->job.tries, .pid = lease->job.pid,
		    .began = lease->since, .command = text,
		    .label = lease->slot > books->labelled ? NULL
		    : books->labels[lease->slot - 1]});
		free(text);
	}
	progress_show(progress, lines_inside());
}

/* Shows kept output as its reader takes it. */
static void
show_more(struct jobs *jobs)
{
	int blocked;

	if (!jobs->lines)
		return;
	blocked = books_show(&jobs->books);
	show_progress(jobs);
	if (blocked == jobs->blocked)
		return;
	if (jobs->blocked >= 0)
		news_forget(jobs->leases.news, jobs->blocked);
	jobs->blocked = blocked;
	if (blocked >= 0 && news_add(jobs->leases.news, blocked, POLLOUT) != 0) {
		complain("output:");
		books_stop(&jobs->books, STATUS_TROUBLE);
		jobs->blocked = -1;
	}
}

void
jobs_serve(struct jobs *jobs)
{
	take_returned(jobs);
	again_serve(jobs);
	if (jobs->deadline != 0 && clock_wait_ms(jobs->deadline) == 0) {
		jobs->deadline = 0;
		shell_hear(jobs);
		stops_now(jobs, STATUS_NO_TOKEN, "limit");
		shell_hear(jobs);
		kills_begin(jobs, 1);
	}
	if (jobs->books.terms.limit != 0)
		end_late(jobs);
	if (jobs->lines && jobs->bell < 0)
		bell_rang(jobs);
	show_more(jobs);
	starts_serve(jobs);
	shell_serve(jobs);
	if (jobs->books.stopping) { /* a job has failed, and --halt wants the others ended */
		jobs->books.stopping = 0;
		kills_begin(jobs, 1);
	}
	starts_serve(jobs); /* after "all" */
}

long long
jobs_wait_ms(const struct jobs *jobs)
{
	long long wait = starts_wait_ms(jobs), left;

	if (jobs->blocked >= 0 && descriptors_poll(jobs->blocked, POLLOUT, 0) & POLLOUT)
		return 0; /* a plain file has no news */
	if (jobs->waits != WAITS_NOT && jobs->blocked < 0 && lines_due())
		return 0;
	if (jobs->lines && jobs->bell < 0)
		wait = clock_sooner(wait, AGAIN);
	if (jobs->wants.shells > 0)
		wait = clock_sooner(wait, clock_wait_ms(jobs->looks));
	for (size_t i = 0; i < jobs->leases.total; i++) {
		left = left_ms(jobs, jobs->leases.list + i);
		wait = clock_sooner(wait, left == 0 ? AGAIN : left);
		if (jobs->leases.list[i].job.given)
			wait = clock_sooner(wait, SOON);
	}
	if (jobs->deadline != 0)
		wait = clock_sooner(wait, clock_wait_ms(jobs->deadline));
	if (jobs->home != 0)
		wait = clock_sooner(wait, clock_wait_ms(jobs->home));
	wait = clock_sooner(wait, progress_wait_ms(&jobs->books.progress));
	return wait > LONGEST ? LONGEST : wait;
}
