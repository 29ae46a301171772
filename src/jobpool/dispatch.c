#include <sys/select.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jobpool.h"

enum {
	MOST_PENDING = 1000,       /* requests that are read ahead, besides what workers have */
	MOST_BYTES = 16 << 20,     /* of them */
	MOST_ANSWERS = 1 << 20,    /* bytes that nobody has read yet */
	SPARE = 30,                /* descriptors besides those of workers */
	TICK = 1000                /* ms between two looks at the script, if need be */
};

struct dispatch {
	const struct staffing *options;
	struct staff staff;
	struct feed input;
	sigset_t before;
	int more;      /* the input has not ended */
	int all;       /* the script wants to hear when all is answered */
	int watch;     /* readable when the script has ended; or -1 */
	int deaf;      /* nobody reads our answers */
	int obeyed;    /* so many signals */
	int status;
};

static void
give_up_pool(struct dispatch *d, int status)
{
	if (d->status == 0)
		d->status = status;
	d->more = d->more && d->options->attended;
	staff_dismiss(&d->staff, 1);
}

/* Whether to read on. A script sees to that itself: it would wait for its own answers. */
static int
wants_input(const struct dispatch *d)
{
	const struct staff *staff = &d->staff;

	if (!d->more || d->options->attended)
		return d->more;
	return staff->pending + staff->answers.kept <
	           MOST_PENDING + d->options->most * d->options->load &&
	    staff->bytes < MOST_BYTES && outbox_waits(&staff->answers.out) < MOST_ANSWERS;
}

static void
take_input(struct dispatch *d)
{
	size_t length;
	char *line;
	int got = 0;

	if (feed_fill(&d->input) != 0) {
		complain("input:");
		give_up_pool(d, STATUS_TROUBLE);
		d->more = 0;
		return;
	}
	if (d->status != 0) { /* else a script would wait for us, and we for it to hear us */
		feed_drop(&d->input);
		d->more = !d->input.ended;
		return;
	}
	while (d->more && (got = feed_line(&d->input, &line, &length)) == 1)
		if (!d->options->attended)
			staff_ask(&d->staff, line, length);
		else if (*line == ':')
			staff_ask(&d->staff, line + 1, length - 1);
		else if (length == 3 && memcmp(line, "all", 3) == 0)
			d->all++;
		else
			d->more = length != 3 || memcmp(line, "end", 3) != 0;
	if (got < 0)
		d->more = 0;
}

/* A pipe that is writable has room for PIPE_BUF bytes, and its description is not ours
   alone, to be made non-blocking. */
static void
write_answers(struct dispatch *d)
{
	struct outbox *out = &d->staff.answers.out;

	if (outbox_write(out, STDOUT_FILENO, OUTBOX_PIPE) == 0)
		return;
	if (errno != EPIPE || !(d->options->attended || d->options->quiet))
		complain("output:");
	outbox_drop(out);
	d->deaf = 1;
	give_up_pool(d, STATUS_TROUBLE);
}

static void
script_ended(struct dispatch *d)
{
	while (d->more && descriptors_poll(d->input.fd, POLLIN, 0) & POLLIN)
		take_input(d);
	if (d->more && d->staff.asked > 0)
		complain("the script ended without jobctl_workers_end: %ld of %ld requests have "
		    "no answer", d->staff.pending + d->staff.failed, d->staff.asked);
	descriptors_close(&d->watch);
	d->deaf = 1;
	give_up_pool(d, STATUS_GONE);
}

static void
obey_signals(struct dispatch *d)
{
	int asked = orders_interrupts + (orders_end != 0);

	if (asked > d->obeyed) {
		if (d->obeyed > 0)
			workers_kill(&d->staff.workers);
		d->obeyed = asked;
		d->deaf = 1;
		give_up_pool(d, STATUS_TROUBLE);
	}
}

struct sets {
	fd_set read, write;
	int highest;
};

static void
add_to_set(struct sets *sets, fd_set *set, int fd)
{
	FD_SET(fd, set);
	if (fd > sets->highest)
		sets->highest = fd;
}

static void
fill_sets(struct dispatch *d, struct sets *sets)
{
	struct workers *workers = &d->staff.workers;

	FD_ZERO(&sets->read);
	FD_ZERO(&sets->write);
	sets->highest = -1;
	if (wants_input(d))
		add_to_set(sets, &sets->read, d->input.fd);
	if (!d->deaf && outbox_waits(&d->staff.answers.out) > 0)
		add_to_set(sets, &sets->write, STDOUT_FILENO);
	if (d->watch >= 0)
		add_to_set(sets, &sets->read, d->watch);
	if (workers->command == NULL) {
		add_to_set(sets, &sets->read, workers->nursery.news.fd);
		if (!workers->nursery.gone && outbox_waits(&workers->nursery.orders) > 0)
			add_to_set(sets, &sets->write, NURSERY_NEWS);
	}
	for (struct worker *worker = workers->list; worker < workers->end; worker++) {
		/* Before a first writer, a FIFO may look as if it had lost its last one. */
		if (worker->out.fd >= 0 && worker->hold < 0 && !worker->out.ended)
			add_to_set(sets, &sets->read, worker->out.fd);
		if (worker->in >= 0 && outbox_waits(&worker->inbox) > 0)
			add_to_set(sets, &sets->write, worker->in);
	}
}

static void
listen_to_workers(struct dispatch *d, struct sets *sets)
{
	struct workers *workers = &d->staff.workers;

	for (struct worker *worker = workers->list; worker < workers->end; worker++)
		if (worker->out.fd >= 0 && FD_ISSET(worker->out.fd, &sets->read))
			staff_hear(&d->staff, worker);
	if (workers->command == NULL && FD_ISSET(workers->nursery.news.fd, &sets->read))
		workers_hear(workers);
	staff_reap(&d->staff);
}

static void
wait_for_news(struct dispatch *d, long long wait)
{
	struct timespec time;
	struct sets sets;
	int n;

	if (d->options->watched > 0 && d->watch < 0 && !d->deaf)
		wait = clock_sooner(wait, TICK);
	time = clock_span(wait);
	fill_sets(d, &sets);
	n = pselect(sets.highest + 1, &sets.read, &sets.write, NULL, wait >= 0 ? &time : NULL,
	    &d->before);
	if (n < 0 && errno != EINTR)
		fail(STATUS_TROUBLE, "pselect:");
	if (n < 0) {
		FD_ZERO(&sets.read);
		FD_ZERO(&sets.write);
	}
	obey_signals(d);
	listen_to_workers(d, &sets);
	if (!d->deaf && FD_ISSET(STDOUT_FILENO, &sets.write))
		write_answers(d);
	if (d->more && FD_ISSET(d->input.fd, &sets.read))
		take_input(d);
	if (d->watch >= 0 ? FD_ISSET(d->watch, &sets.read)
	    : d->options->watched > 0 && !d->deaf && family_ended((pid_t)d->options->watched))
		script_ended(d);
}

static int
finished(struct dispatch *d)
{
	struct staff *staff = &d->staff;

	if (staff->over != 0)
		give_up_pool(d, staff->over);
	/* Only we know the figures: a script's subshells ask, too, and hear answers. */
	for (; d->all > 0 && staff->pending == 0; d->all--)
		if (outbox_say(&staff->answers.out, "all %ld %ld %ld\n", staff->asked,
		    staff->asked - staff->failed, staff->failed) != 0)
			fail(STATUS_TROUBLE, "no memory:");
	if (!d->more && staff->pending == 0 && !staff->dismissed)
		staff_dismiss(staff, 0);
	return staff->dismissed && staff->workers.busy == 0 &&
	    (d->deaf || outbox_waits(&staff->answers.out) == 0);
}

/* We are a writer of a script's FIFO, too, until we exit: who has opened it for the script may be
   killed before the script has. */
static void
open_dispatch(struct dispatch *d)
{
	char path[PATH_MAX];
	int writer = -1;
	long spare = SPARE + d->options->most * 2;

	d->more = 1;
	d->watch = -1;
	descriptors_allow(spare < FD_SETSIZE ? spare : FD_SETSIZE);
	orders_open(&d->before);
	signal(SIGTSTP, SIG_DFL); /* our workers wait for us, or end what they have */
	feed_open(&d->input, NULL, '\n');
	if (d->options->watched > 0) {
		d->input.fd = -1;
		snprintf(path, sizeof path, "%s/requests", d->options->directory);
		if (fifo_open_both(AT_FDCWD, path, &d->input.fd, &writer) != 0)
			fail(STATUS_TROUBLE, "%s:", path);
	}
	if (staff_open(&d->staff, d->options, &d->before) != 0)
		fail(STATUS_TROUBLE, "%ld workers:", d->options->most);
	if (d->options->watched > 0)
		d->watch = family_watch((pid_t)d->options->watched);
	if (d->options->attended && outbox_add(&d->staff.answers.out, "ready\n", 6) != 0)
		fail(STATUS_TROUBLE, "no memory:");
}

int
dispatch_run(const struct staffing *options)
{
	static struct dispatch d; /* to the end: what it has of requests is not freed */
	long long wait;

	d.options = options;
	open_dispatch(&d);
	while (!finished(&d)) {
		wait = staff_wait_ms(&d.staff);
		workers_write(&d.staff.workers);
		wait_for_news(&d, wait);
	}
	if (!options->quiet && d.staff.failed > 0 && !options->attended)
		complain("%ld of %ld requests have no answer", d.staff.failed, d.staff.asked);
	orders_die();
	if (d.status != 0)
		return d.status;
	return d.staff.failed > 0 || d.staff.surplus > 0;
}
