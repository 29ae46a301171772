#include <sys/select.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/status.h"
#include "workers.h"

enum {
	OPENING = 10000,  /* ms in which the shell must have forked it */
	REPORT = 1000,    /* ms from its last close to the shell's word that it has ended */
	KILLING = 5000,   /* ms the shell may take to kill it, after the grace */
	VARIABLE_ROOM = 48
};

int
workers_open(struct workers *workers, long count, char **command, const char *directory,
    const sigset_t *mask)
{
	static const char *const names[] = {"JOBCTL_SLOT="};

	*workers = (struct workers){0};
	workers->count = count;
	workers->command = command;
	workers->mask = *mask;
	workers->list = calloc((size_t)count, sizeof *workers->list);
	workers->environment = child_environment(names, 1, &workers->own);
	if (workers->list == NULL || workers->environment == NULL)
		return -1;
	for (long i = 0; i < count; i++) {
		workers->list[i].number = i + 1;
		workers->list[i].in = workers->list[i].hold = workers->list[i].out.fd = -1;
	}
	return command == NULL ? nursery_open(&workers->nursery, directory) : 0;
}

struct worker *
workers_next(const struct workers *workers, struct worker *worker)
{
	worker = worker == NULL ? workers->list : worker + 1;
	return worker < workers->list + workers->count ? worker : NULL;
}

/* Exec gives caught signals their default; ignored ones, and TERM, by which we end it, must be set
   here. */
static int
spawn(struct workers *workers, struct worker *worker, int input, int output)
{
	sigset_t defaults;
	struct child_setup setup = {.in = input, .out = output, .err = -1, .shut = -1, .leads = 1,
	    .mask = &workers->mask, .defaults = &defaults, .environment = workers->environment};
	char slot[VARIABLE_ROOM];
	pid_t pid;
	int error;

	snprintf(slot, sizeof slot, "JOBCTL_SLOT=%ld", worker->number);
	workers->environment[workers->own] = slot;
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	sigaddset(&defaults, SIGTERM);
	if ((error = child_spawn(&pid, workers->command, &setup)) == 0)
		child_begin(&worker->child, pid);
	return error;
}

static int
start_child(struct workers *workers, struct worker *worker)
{
	int to[2] = {-1, -1}, from[2] = {-1, -1}, error = EMFILE;

	if (descriptors_pipe(to, 1) != 0 || descriptors_pipe(from, 0) != 0)
		error = errno;
	else if (to[1] < FD_SETSIZE && from[0] < FD_SETSIZE)
		error = spawn(workers, worker, to[0], from[1]);
	descriptors_close(&to[0]);
	descriptors_close(&from[1]);
	worker->in = to[1];
	worker->out.fd = from[0];
	if (error != 0) {
		descriptors_close(&worker->in);
		descriptors_close(&worker->out.fd);
	}
	return error;
}

int
worker_start(struct workers *workers, struct worker *worker)
{
	int error;

	*worker = (struct worker){.number = worker->number, .in = -1, .hold = -1,
	    .out = {.fd = -1, .separator = '\n', .own = 1}};
	if (workers->command != NULL) {
		error = start_child(workers, worker);
	} else {
		error = nursery_start(&workers->nursery, worker->number, &worker->in,
		    &worker->hold, &worker->out.fd);
		worker->serial = workers->nursery.serial;
		child_leave(&worker->child, OPENING);
	}
	if (error != 0)
		return error;
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
	int gone = workers->command == NULL && nursery_write(&workers->nursery) != 0;
	struct worker *worker = NULL;

	while ((worker = workers_next(workers, worker)) != NULL) {
		if (gone && worker->hold >= 0)
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
		nursery_kill(&workers->nursery, worker->serial);
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
	struct worker *worker = NULL;

	while ((worker = workers_next(workers, worker)) != NULL)
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

/* A shell says 128 + n of what signal n killed, wait(2) says n. */
void
workers_hear(struct workers *workers)
{
	struct worker *worker;
	long serial;
	int status, what;

	if (feed_fill(&workers->nursery.news) != 0) {
		feed_drop(&workers->nursery.news); /* no shell said that */
		return;
	}
	while ((what = nursery_next(&workers->nursery, &serial, &status)) != 0) {
		if ((worker = workers_find(workers, 0, serial)) == NULL)
			continue;
		if (worker->hold >= 0 && worker->state != WORKER_LEAVES)
			child_begin(&worker->child, 0);
		nursery_opened(&workers->nursery, serial, &worker->hold);
		if (what == NURSERY_ENDED) {
			worker->ended = 1;
			worker->status = status > 128 ? status & 127 : (status & 255) << 8;
		}
	}
}

void
workers_kill(struct workers *workers)
{
	struct worker *worker = NULL;

	while ((worker = workers_next(workers, worker)) != NULL)
		if (worker->state != WORKER_VACANT)
			child_signal(&worker->child, SIGKILL);
}
