#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobpool.h"

enum {
	OPENING = 10000,  /* ms in which the shell must have forked it */
	REPORT = 1000,    /* ms from its last close to the shell's word that it has ended */
	KILLING = 5000,   /* ms the shell may take to kill it, after the grace */
	VARIABLE_ROOM = 48
};

struct names {
	char in[32], out[32];
};

static struct names
names_of(long serial)
{
	struct names names;

	snprintf(names.in, sizeof names.in, "%ld.in", serial);
	snprintf(names.out, sizeof names.out, "%ld.out", serial);
	return names;
}

int
workers_open(struct workers *workers, long count, char **command, const char *directory,
    const sigset_t *mask)
{
	static const char *const names[] = {"JOBCTL_SLOT="};
	struct nursery *nursery = &workers->nursery;

	*workers = (struct workers){.command = command, .mask = *mask, .nursery = {.keep = -1,
	    .news = {.fd = -1, .own = 1, .separator = '\n'}}};
	workers->list = calloc((size_t)count, sizeof *workers->list);
	workers->environment = child_environment(names, 1, &workers->own);
	if (workers->list == NULL || workers->environment == NULL)
		return -1;
	workers->end = workers->list;
	for (long number = 1; number <= count; number++)
		*workers->end++ = (struct worker){.number = number, .in = -1, .hold = -1,
		    .out = {.fd = -1}};
	if (command != NULL)
		return 0;
	if (fcntl(NURSERY_NEWS, F_SETFD, FD_CLOEXEC) != 0 ||
	    (nursery->dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
	    mkfifoat(nursery->dir, "workers", 0600) != 0)
		return -1;
	return fifo_open_both(nursery->dir, "workers", &nursery->news.fd, &nursery->keep);
}

/* Exec gives caught signals their default; ignored ones, and TERM, by which we end it, must be set
   here. */
static int
start_child(struct workers *workers, struct worker *worker)
{
	int to[2] = {-1, -1}, from[2] = {-1, -1}, error = EMFILE;
	char slot[VARIABLE_ROOM];

	snprintf(slot, sizeof slot, "JOBCTL_SLOT=%ld", worker->number);
	workers->environment[workers->own] = slot;
	if (descriptors_pipe(to, 1) != 0 || descriptors_pipe(from, 0) != 0)
		error = errno;
	else if (to[1] < FD_SETSIZE && from[0] < FD_SETSIZE)
		error = child_spawn(&worker->child.pid, workers->command, &(struct child_setup){
		    .in = to[0], .out = from[1], .err = -1, .leads = 1, .mask = &workers->mask,
		    .defaults = (const int[]){SIGPIPE, SIGXFSZ, SIGTERM, 0},
		    .environment = workers->environment});
	descriptors_close(&to[0]);
	descriptors_close(&from[1]);
	worker->in = to[1];
	worker->out.fd = from[0];
	return error;
}

/* The worker has both FIFOs open: closes *hold and removes the names, unless that is done. */
static void
nursery_opened(struct nursery *nursery, long serial, int *hold)
{
	struct names names = names_of(serial);

	if (*hold < 0)
		return;
	unlinkat(nursery->dir, names.in, 0);
	unlinkat(nursery->dir, names.out, 0);
	descriptors_close(hold);
}

static void
tell_shell(struct nursery *nursery, const char *word, long serial, long number)
{
	if (!nursery->gone &&
	    outbox_say(&nursery->orders, "%s %ld %ld\n", word, serial, number) != 0)
		fail(STATUS_TROUBLE, "no memory:");
}

static int
start_elsewhere(struct workers *workers, struct worker *worker)
{
	struct nursery *nursery = &workers->nursery;
	long serial = nursery->serial + 1;
	struct names names = names_of(serial);
	int error = EMFILE; /* an fd_set has no room for more */

	if (nursery->gone)
		return EPIPE;
	if (fifo_open_both(nursery->dir, names.in, &worker->hold, &worker->in) != 0 ||
	    mkfifoat(nursery->dir, names.out, 0600) != 0 ||
	    (worker->out.fd = fifo_open(nursery->dir, names.out, O_RDONLY | O_NOFOLLOW)) < 0) {
		error = errno;
	} else if (worker->in < FD_SETSIZE && worker->out.fd < FD_SETSIZE) {
		tell_shell(nursery, "start", serial, worker->number);
		worker->serial = nursery->serial = serial;
		child_leave(&worker->child, OPENING);
		return 0;
	}
	nursery_opened(nursery, serial, &worker->hold);
	return error;
}

int
worker_start(struct workers *workers, struct worker *worker)
{
	int error;

	*worker = (struct worker){.number = worker->number, .in = -1, .hold = -1,
	    .out = {.fd = -1, .separator = '\n', .own = 1}};
	error = workers->command != NULL ? start_child(workers, worker)
	    : start_elsewhere(workers, worker);
	if (error != 0) {
		descriptors_close(&worker->in);
		descriptors_close(&worker->out.fd);
		return error;
	}
	worker->state = WORKER_READY;
	worker->began = worker->since = clock_now();
	workers->busy++;
	return 0;
}

void
worker_send(struct worker *worker, const char *text, size_t length)
{
	if (outbox_add(&worker->inbox, text, length) != 0)
		fail(STATUS_TROUBLE, "no memory:");
}

static void
close_input(struct worker *worker)
{
	descriptors_close(&worker->in);
	outbox_drop(&worker->inbox);
}

/* EPIPE: it reads no more, but may still answer what it has read. */
static void
write_some(struct workers *workers, struct worker *worker)
{
	if (outbox_write(&worker->inbox, worker->in, OUTBOX_ALL) != 0) {
		close_input(worker);
		if (worker->state != WORKER_LEAVES)
			worker_leave(workers, worker);
	} else if (worker->state == WORKER_LEAVES && outbox_waits(&worker->inbox) == 0) {
		close_input(worker);
	}
}

void
workers_write(struct workers *workers)
{
	struct nursery *nursery = &workers->nursery;

	if (!nursery->gone && outbox_write(&nursery->orders, NURSERY_NEWS, OUTBOX_PIPE) != 0) {
		nursery->gone = 1;
		outbox_drop(&nursery->orders);
	}
	for (struct worker *worker = workers->list; worker < workers->end; worker++) {
		if (nursery->gone && worker->hold >= 0)
			worker->child.stage = CHILD_KILLED; /* nobody will start it */
		if (worker->in >= 0)
			write_some(workers, worker);
	}
}

/* A worker of the nursery is no child of ours, and its struct child has no pid: its shell ends it.
   We can only ask for that, and presume it in the end. */
static long long
grace_of(const struct workers *workers)
{
	return workers->grace + (workers->command != NULL ? 0 : KILLING);
}

void
worker_leave(struct workers *workers, struct worker *worker)
{
	worker->state = WORKER_LEAVES;
	child_leave(&worker->child, workers->grace);
}

void
worker_end(struct workers *workers, struct worker *worker)
{
	close_input(worker);
	worker->state = WORKER_LEAVES;
	if (!worker->ended)
		child_end(&worker->child, grace_of(workers));
}

/* We shall see how it has ended; or a shell will tell, if that was not killed, too. */
void
worker_silent(struct workers *workers, struct worker *worker)
{
	if (workers->command != NULL && worker->state != WORKER_LEAVES)
		worker_end(workers, worker);
	if (workers->command != NULL)
		return;
	close_input(worker);
	worker->state = WORKER_LEAVES;
	if (worker->child.stage < CHILD_TOLD)
		child_leave(&worker->child, REPORT);
}

long long
worker_wait_ms(struct workers *workers, struct worker *worker)
{
	long long wait;

	if (worker->ended)
		return -1;
	wait = child_wait_ms(&worker->child, grace_of(workers));
	if (workers->command != NULL)
		return wait;
	if (worker->child.stage >= CHILD_TOLD && !worker->killed) {
		tell_shell(&workers->nursery, "kill", worker->serial, 0);
		worker->killed = 1;
	}
	if (worker->child.stage < CHILD_TOLD ||
	    (worker->child.stage == CHILD_TOLD && !worker->out.ended))
		return wait;
	worker->ended = 1;
	worker->status = -1;
	return 0;
}

/* The one with that pid or serial, or one that has ended. */
static struct worker *
workers_find(struct workers *workers, pid_t pid, long serial)
{
	for (struct worker *worker = workers->list; worker < workers->end; worker++)
		if (worker->state != WORKER_VACANT && (pid > 0 ? worker->child.pid == pid
		    : serial > 0 ? worker->serial == serial : worker->ended))
			return worker;
	return NULL;
}

struct worker *
workers_reap(struct workers *workers)
{
	struct worker *worker = workers_find(workers, 0, 0);
	pid_t pid;

	while (worker == NULL && (pid = child_ended()) > 0) {
		if ((worker = workers_find(workers, pid, 0)) == NULL) {
			waitpid(pid, NULL, 0); /* a child of who became us */
			continue;
		}
		child_reap(&worker->child);
		worker->ended = 1;
		worker->status = worker->child.status;
	}
	return worker;
}

void
worker_vacate(struct workers *workers, struct worker *worker)
{
	close_input(worker);
	nursery_opened(&workers->nursery, worker->serial, &worker->hold);
	if (worker->out.fd >= 0)
		feed_close(&worker->out);
	worker->out.fd = -1;
	worker->state = WORKER_VACANT;
	workers->busy--;
}

/* "open K" or "ended K STATUS". A shell says 128 + n of what signal n killed, wait(2) says n. */
void
workers_hear(struct workers *workers)
{
	struct worker *worker;
	size_t length;
	char *line;
	long serial;
	int status, ended, n;

	if (feed_fill(&workers->nursery.news) != 0) {
		feed_drop(&workers->nursery.news); /* no shell said that */
		return;
	}
	while (feed_line(&workers->nursery.news, &line, &length) == 1) {
		serial = n = 0;
		ended = sscanf(line, "ended %ld %d%n", &serial, &status, &n) == 2;
		if ((!ended && sscanf(line, "open %ld%n", &serial, &n) != 1) || line[n] != '\0' ||
		    serial < 1 || (worker = workers_find(workers, 0, serial)) == NULL)
			continue;
		if (worker->hold >= 0 && worker->state != WORKER_LEAVES)
			worker->child = (struct child){0};
		nursery_opened(&workers->nursery, serial, &worker->hold);
		worker->ended |= ended;
		if (ended)
			worker->status = status > 128 ? status & 127 : (status & 255) << 8;
	}
}

void
workers_kill(struct workers *workers)
{
	for (struct worker *worker = workers->list; worker < workers->end; worker++)
		if (worker->state != WORKER_VACANT)
			child_signal(&worker->child, SIGKILL);
}
