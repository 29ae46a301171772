#include <sys/select.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/command.h"
#include "workers.h"

#ifndef SSIZE_MAX
#define SSIZE_MAX _POSIX_SSIZE_MAX
#endif

enum {
	PRESUME = 0,      /* in place of a signal: that it has ended */
	OPENING = 10000,  /* ms in which the shell must have forked it */
	REPORT = 1000,    /* ms from its last close to the shell's word that it has ended */
	KILLING = 5000,   /* ms the shell may take to kill it, after the grace */
	VARIABLE_ROOM = 48
};

extern char **environ;

/* Ours comes last. */
static int
copy_environment(struct workers *workers)
{
	static const char name[] = "JOBCTL_SLOT=";
	size_t n = 0;
	char **variable;

	while (environ[n] != NULL)
		n++;
	if ((workers->environment = malloc((n + 2) * sizeof *environ)) == NULL)
		return -1;
	for (variable = environ; *variable != NULL; variable++)
		if (strncmp(*variable, name, sizeof name - 1) != 0)
			workers->environment[workers->own++] = *variable;
	workers->environment[workers->own + 1] = NULL;
	return 0;
}

int
workers_open(struct workers *workers, long count, char **command, const char *directory,
    const sigset_t *mask)
{
	struct workers empty = {0};
	long i;

	*workers = empty;
	workers->count = count;
	workers->command = command;
	workers->mask = *mask;
	if ((workers->list = calloc((size_t)count, sizeof *workers->list)) == NULL ||
	    copy_environment(workers) != 0)
		return -1;
	for (i = 0; i < count; i++) {
		workers->list[i].number = i + 1;
		workers->list[i].in = workers->list[i].hold = workers->list[i].out.fd = -1;
	}
	return command == NULL ? nursery_open(&workers->nursery, directory) : 0;
}

void
workers_close(struct workers *workers)
{
	if (workers->command == NULL)
		nursery_close(&workers->nursery);
	free(workers->environment);
	free(workers->list);
}

/* A pipe of which one end is ours: it does not block, and whoever is exec'ed has
   neither end but by dup2. */
static int
open_pipe(int ends[2], int ours)
{
	int saved;

	if (pipe(ends) != 0)
		return -1;
	if (ends[0] >= FD_SETSIZE || ends[1] >= FD_SETSIZE)
		errno = EMFILE;
	else if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 &&
	         fcntl(ends[ours], F_SETFL, O_NONBLOCK) == 0)
		return 0;
	saved = errno;
	close(ends[0]);
	close(ends[1]);
	errno = saved;
	return -1;
}

/* What we catch has its default by exec; what we ignore must be told. */
static int
spawn_with(struct workers *workers, pid_t *pid, posix_spawn_file_actions_t *actions,
    posix_spawnattr_t *attributes, int input, int output)
{
	sigset_t defaults;
	int error;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGTERM); /* by which we end it */
	if ((error = posix_spawnattr_setsigmask(attributes, &workers->mask)) != 0 ||
	    (error = posix_spawnattr_setsigdefault(attributes, &defaults)) != 0 ||
	    (error = posix_spawnattr_setpgroup(attributes, 0)) != 0 ||
	    (error = posix_spawnattr_setflags(attributes,
	         POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)) != 0 ||
	    (error = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO)) != 0 ||
	    (error = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO)) != 0)
		return error;
	return command_spawn(pid, workers->command, actions, attributes, workers->environment);
}

static int
spawn(struct workers *workers, struct worker *worker, int input, int output)
{
	char slot[VARIABLE_ROOM];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	snprintf(slot, sizeof slot, "JOBCTL_SLOT=%ld", worker->number);
	workers->environment[workers->own] = slot;
	if ((error = posix_spawnattr_init(&attributes)) != 0)
		return error;
	if ((error = posix_spawn_file_actions_init(&actions)) == 0) {
		error = spawn_with(workers, &worker->pid, &actions, &attributes, input, output);
		posix_spawn_file_actions_destroy(&actions);
	}
	posix_spawnattr_destroy(&attributes);
	return error;
}

static int
start_child(struct workers *workers, struct worker *worker)
{
	int to[2], from[2], error;

	if (open_pipe(to, 1) != 0)
		return errno;
	if (open_pipe(from, 0) != 0) {
		error = errno;
		close(to[0]);
		close(to[1]);
		return error;
	}
	error = spawn(workers, worker, to[0], from[1]);
	close(to[0]);
	close(from[1]);
	if (error != 0) {
		worker->pid = 0;
		close(to[1]);
		close(from[0]);
		return error;
	}
	worker->in = to[1];
	worker->out.fd = from[0];
	return 0;
}

static int
start_elsewhere(struct workers *workers, struct worker *worker)
{
	int error = nursery_start(&workers->nursery, worker->number, &worker->in, &worker->hold, &worker->out.fd);

	if (error != 0) {
		worker->in = worker->hold = worker->out.fd = -1;
		return error;
	}
	worker->serial = workers->nursery.serial;
	worker->due = clock_now() + OPENING;
	worker->next = PRESUME;
	return 0;
}

int
worker_start(struct workers *workers, struct worker *worker)
{
	struct worker empty = {0};
	int error;

	empty.number = worker->number;
	empty.in = empty.hold = empty.out.fd = -1;
	empty.out.separator = '\n';
	empty.out.own = 1;
	*worker = empty;
	error = workers->command == NULL ? start_elsewhere(workers, worker) : start_child(workers, worker);
	if (error != 0)
		return error;
	worker->state = WORKER_READY;
	worker->began = worker->since = clock_now();
	workers->busy++;
	return 0;
}

int
worker_send(struct worker *worker, const char *text, size_t length)
{
	return outbox_add(&worker->inbox, text, length);
}

static void
close_input(struct worker *worker)
{
	if (worker->in >= 0)
		close(worker->in);
	worker->in = -1;
	outbox_drop(&worker->inbox);
}

/* EPIPE: it reads no more. What it has read, it may answer still. */
static void
write_some(struct workers *workers, struct worker *worker)
{
	if (outbox_write(&worker->inbox, worker->in, SSIZE_MAX) != 0) {
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
	struct worker *worker;

	int gone = workers->command == NULL && nursery_write(&workers->nursery) != 0;

	for (worker = workers->list; worker < workers->list + workers->count; worker++) {
		if (gone && worker->hold >= 0)
			worker->due = clock_now(); /* nobody will start it */
		if (worker->in >= 0 && (outbox_waits(&worker->inbox) > 0 || worker->state == WORKER_LEAVES))
			write_some(workers, worker);
	}
}

void
worker_leave(struct workers *workers, struct worker *worker)
{
	worker->state = WORKER_LEAVES;
	worker->due = clock_now() + workers->grace;
	worker->next = SIGTERM;
}

/* To the group, which is there until we have waited for its first process. */
static void
send(struct workers *workers, struct worker *worker, int sig)
{
	if (worker->pid > 0 && !worker->ended) {
		if (kill(-worker->pid, sig) != 0)
			kill(worker->pid, sig);
	} else if (worker->pid == 0 && sig == SIGTERM) {
		nursery_kill(&workers->nursery, worker->serial);
	}
}

void
worker_end(struct workers *workers, struct worker *worker)
{
	close_input(worker);
	worker->state = WORKER_LEAVES;
	send(workers, worker, SIGTERM);
	send(workers, worker, SIGCONT);
	worker->due = clock_now() + workers->grace + (worker->pid == 0 ? KILLING : 0);
	worker->next = worker->pid == 0 ? PRESUME : SIGKILL;
}

/* We shall see how it has ended; or a shell will tell, if that was not killed, too. */
void
worker_silent(struct workers *workers, struct worker *worker)
{
	if (worker->pid > 0) {
		if (worker->state != WORKER_LEAVES)
			worker_end(workers, worker);
		return;
	}
	close_input(worker);
	worker->state = WORKER_LEAVES;
	worker->due = clock_now() + REPORT;
	worker->next = PRESUME;
}

static void
presume_ended(struct workers *workers, struct worker *worker)
{
	send(workers, worker, SIGTERM);
	worker->ended = 1;
	worker->status = -1;
}

long long
worker_look(struct workers *workers, struct worker *worker, long long now)
{
	if (worker->due == 0 || worker->ended)
		return -1;
	if (worker->due > now)
		return worker->due - now;
	worker->due = 0;
	if (worker->next == SIGTERM) {
		worker_end(workers, worker);
		return workers->grace;
	}
	if (worker->next == SIGKILL)
		send(workers, worker, SIGKILL);
	else
		presume_ended(workers, worker);
	return worker->ended ? 0 : -1;
}

static struct worker *
find(struct workers *workers, pid_t pid)
{
	struct worker *worker;

	for (worker = workers->list; worker < workers->list + workers->count; worker++)
		if (worker->state != WORKER_VACANT && (pid > 0 ? worker->pid == pid : worker->ended))
			return worker;
	return NULL;
}

/* While it is not waited for, its number is that of its group, and nobody else's. */
struct worker *
workers_reap(struct workers *workers)
{
	struct worker *worker = find(workers, 0);
	siginfo_t info;
	int status;

	while (worker == NULL) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
			return NULL;
		if ((worker = find(workers, info.si_pid)) != NULL)
			kill(-info.si_pid, SIGKILL);
		if (waitpid(info.si_pid, &status, 0) != info.si_pid)
			status = -1;
		if (worker == NULL)
			continue; /* a child of whoever became us */
		worker->ended = 1;
		worker->status = status;
	}
	return worker;
}

void
worker_vacate(struct workers *workers, struct worker *worker)
{
	close_input(worker);
	if (worker->hold >= 0)
		nursery_opened(&workers->nursery, worker->serial, worker->hold);
	worker->hold = -1;
	if (worker->out.fd >= 0)
		feed_close(&worker->out);
	worker->out.fd = -1;
	worker->state = WORKER_VACANT;
	workers->busy--;
}

static struct worker *
find_serial(struct workers *workers, long serial)
{
	struct worker *worker;

	for (worker = workers->list; worker < workers->list + workers->count; worker++)
		if (worker->state != WORKER_VACANT && worker->serial == serial)
			return worker;
	return NULL;
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
		if ((worker = find_serial(workers, serial)) == NULL)
			continue;
		if (worker->hold >= 0) {
			nursery_opened(&workers->nursery, serial, worker->hold);
			worker->hold = -1;
			if (worker->state != WORKER_LEAVES) /* else that has its own time */
				worker->due = 0;
		}
		if (what == NURSERY_ENDED) {
			worker->ended = 1;
			worker->status = status > 128 ? status & 127 : (status & 255) << 8;
		}
	}
}

void
workers_signal(struct workers *workers, int sig)
{
	struct worker *worker;

	for (worker = workers->list; worker < workers->list + workers->count; worker++)
		if (worker->state != WORKER_VACANT && worker->pid > 0)
			send(workers, worker, sig);
}
