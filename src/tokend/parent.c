#if defined __linux__ && !defined PORTABLE
#define _GNU_SOURCE /* O_PATH */
#endif
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tokend.h"

enum { PID, DIRECTORY, KEY, GRACE };
enum {
	SHORT = 1000, /* ms of a dispenser's life that is too short */
	ENOUGH = 10   /* of these */
};

/* What parent and spare know of the dispenser. */
struct charge {
	struct guard guard;
	const char *fifo;
	struct opening *opening; /* of a batch, else NULL */
	mode_t mode;
	int news;
	pid_t spare;             /* in the parent, else 0 */
};

/* The dispenser and its parent have this end of a pipe, at whose end the spare wakes up. The
   dispenser writes its status there. */
static int alive = -1;

/* The script may wait for its own descriptors to close: a pipe, or a lease of another batch. Those
   of make's jobserver, which MAKEFLAGS names, stay. */
static void
close_others(int borrows)
{
	const char *text = borrows ? getenv("MAKEFLAGS") : NULL, *word, *ends;
	int in = -1, out = -1;

	while (text != NULL && makeflags_word(&text, &word) > 0)
		if ((ends = makeflags_after(word, "--jobserver-auth=")) != NULL ||
		    (ends = makeflags_after(word, "--jobserver-fds=")) != NULL)
			(void)sscanf(ends, "%d,%d", &in, &out);
	for (int fd = 3; fd <= 9; fd++)
		if (fd != in && fd != out)
			close(fd);
}

/* A descriptor by whose path in /proc the script sees whether its standard input is still the one
   that it has now, or -1. It does not keep a pipe open. */
static int
note_input(void)
{
#ifdef O_PATH
	int fd = open("/proc/self/fd/0", O_PATH | O_CLOEXEC);

	return fd >= 0 ? fd : open("/dev/null", O_PATH | O_CLOEXEC);
#else
	return -1;
#endif
}

/* Jobs that wait in open there for another keeper, as theirs was killed, hear of none. */
static void
free_waiting(const char *directory)
{
	DIR *list = opendir(directory);
	struct dirent *entry;

	while (list != NULL && (entry = readdir(list)) != NULL)
		if (fifo_open(dirfd(list), entry->d_name, O_RDONLY | O_NOFOLLOW) >= 0)
			(void)fifo_open(dirfd(list), entry->d_name, O_WRONLY | O_NOFOLLOW);
	if (list != NULL)
		closedir(list);
}

/* A shell that opens a FIFO just after its removal makes a plain file, and waits at the other FIFO:
   so the FIFOs of connections get other names first, all at once. */
static void
take_away(const struct guard *g)
{
	char keep[PATH_MAX], gone[PATH_MAX];

	if (snprintf(keep, sizeof keep, "%s/keep", g->path) < (int)sizeof keep &&
	    snprintf(gone, sizeof gone, "%s/gone", g->path) < (int)sizeof gone &&
	    rename(keep, gone) == 0)
		free_waiting(gone);
	guard_remove(g);
}

/* A shell that opens a lease or the bell to write waits until somebody reads there. They stay open,
   so that a job's last word does not end it by SIGPIPE. */
static int
hold_open(void *context, const struct name *name)
{
	const int *dir = context;

	if (name->kind == NAME_LEASE && fifo_open(*dir, name->text, O_RDONLY | O_NOFOLLOW) < 0)
		complain("lease %s: a shell that opens it now may wait for ever:", name->text);
	return 0;
}

static int
is_held(void *context, const struct name *name)
{
	const int *dir = context;
	int fd, held;

	if (name->kind != NAME_LEASE)
		return 0;
	if ((fd = fifo_open(*dir, name->text, O_RDONLY | O_NOFOLLOW)) < 0)
		return lease_unknown(errno);
	held = lease_held(fd);
	close(fd);
	return held;
}

/* The shell has not yet emptied the file, as it does when it has read "stop". */
static int
is_unheard(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0;
}

/* The dispenser was killed: no more jobs are started. Returns when the script knows that and all
   jobs have ended, or when nobody reads news any more. */
static void
wind_up(struct charge *c)
{
	char name[PATH_MAX];
	int dir, heard = -1;

	complain("%s: tokend was killed; no more jobs are started", c->fifo);
	umask(0); /* the shell must be able to empty the file */
	descriptors_allow(MOST_TOKENS + DISPENSER_SPARE);
	snprintf(name, sizeof name, "%s.d", c->fifo);
	if ((dir = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0 &&
	    ((heard = openat(dir, "heard", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
	    0600)) < 0 || write(heard, "\n", 1) != 1))
		complain("%s/heard:", name);
	if (dir < 0 && errno != ENOENT)
		complain("%s: a shell that opens a lease there may wait for ever:", name);
	if (dir >= 0) {
		names_each(dir, hold_open, &dir);
		(void)fifo_open(dir, "bell", O_RDONLY | O_NOFOLLOW);
	}
	/* "ready" ends a torn line */
	guard_say(&c->guard, c->news, "ready 0\nstop %d killed\n", STATUS_GONE);
	if (c->opening != NULL)
		guard_await(&c->guard);
	descriptors_close(&c->guard.fifos[0].reader);
	for (int tries = 0; descriptors_poll(c->news, 0, 0) == 0 && /* it has a reader */
	    (is_unheard(heard) || (dir >= 0 && names_each(dir, is_held, &dir) > 0)); tries++)
		guard_pause(tries);
	descriptors_close(&heard);
	descriptors_close(&dir);
}

/* Even a spare that is stopped must not keep the pipe to the shell open. */
static void
leave_with(const struct charge *c, int status)
{
	if (c->spare > 0)
		kill(c->spare, SIGKILL);
	exit(status);
}

/* Exits when all is done that the dispenser, ended with that status, has left. */
static void
finish_batch(struct charge *c, int status)
{
	struct claim claim;

	if (status > 128)
		wind_up(c);
	if (c->opening != NULL) { /* the sessions end, with all that runs there */
		sites_close(&c->opening->sites);
		if (status != STATUS_DONE && status <= 128)
			guard_say(&c->guard, c->news, "fail %d\n", status);
		guard_await(&c->guard);
		take_away(&c->guard);
	} else if (status > 128 && claim_take(&claim, c->fifo, c->mode) == STATUS_DONE) {
		names_remove(claim.dir);
		claim_release(&claim);
	}
	leave_with(c, status > 128 ? STATUS_GONE : status);
}

/* The sessions of places are the parent's, and end with it. */
static void
leave_den(struct opening *opening)
{
	if (!sites_there(&opening->sites))
		return;
	descriptors_close(&opening->sites.den.alive[0]);
	descriptors_close(&opening->sites.den.alive[1]);
	descriptors_close(&opening->sites.den.here);
}

/* Sleeps until dispenser and parent have ended; if both were killed, does what the parent would. */
static void
stand_by(struct charge *c, int fd)
{
	char news[PATH_MAX];
	unsigned char byte;
	int status = 128 + SIGKILL;
	ssize_t n;

	if (c->opening != NULL) {
		background_leave(STDOUT_FILENO); /* who started the script may await its end */
		leave_den(c->opening);
	}
	descriptors_close(&alive);
	descriptors_close(&c->guard.ready);
	descriptors_close(&c->guard.fifos[0].reader);
	while ((n = read(fd, &byte, 1)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			status = byte;
	if (c->opening != NULL &&
	    snprintf(news, sizeof news, "%s/news", c->guard.path) < (int)sizeof news)
		c->guard.fifos[0].reader = fifo_open(AT_FDCWD, news, O_RDONLY);
	finish_batch(c, status);
}

/* Starts the spare, and the dispenser, in which it returns 0; in the parent, its pid or -1. */
static pid_t
start_both(struct charge *c)
{
	int ends[2];
	sigset_t none;
	pid_t pid;

	if (descriptors_pipe(ends, -1) != 0) {
		complain("pipe:");
		return -1;
	}
	alive = ends[1];
	if ((c->spare = fork()) == 0)
		stand_by(c, ends[0]);
	close(ends[0]);
	if ((pid = c->spare) < 0 || (pid = fork()) != 0) {
		if (pid < 0)
			complain("fork:");
		return pid;
	}
	signal(SIGPIPE, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(c->news, STDOUT_FILENO) < 0)
		fail(STATUS_TROUBLE, "standard output:");
	return 0;
}

static void
set_up(struct dispenser *d, const struct guard *guard, const struct opening *opening, char **words)
{
	static char grace[32];
	struct books *books = &d->jobs.books;

	d->lines = d->answers = d->attends = 1;
	d->watched = guard->script;
	d->watch = family_watch(guard->script);
	snprintf(grace, sizeof grace, "%lld.%03lld", opening->patience / 1000,
	    opening->patience % 1000);
	books->grace = sites_there(&opening->sites) ? grace : words[GRACE];
	books->key = words[KEY];
	books->who = "jobctl_run";
	books->waits = 1;
}

/* What the shell must know first. */
static void
introduce(const struct guard *g, const struct opening *opening, int input)
{
	int news = g->fifos[0].writer;

	if (input >= 0)
		guard_say(g, news, "option stdin /proc/%ld/fd/%d\n", (long)getpid(), input);
	if (*opening->shell != '\0')
		guard_say(g, news, "%s", opening->shell);
}

const char *
parent_of_batch(struct dispenser *d, struct opening *opening, char **words)
{
	static char fifo[PATH_MAX];
	struct charge c = {.fifo = fifo, .opening = opening};
	int input;
	pid_t pid;

	program = "jobctl_open";
	guard_of(&c.guard, words[PID], words[DIRECTORY]);
	c.guard.fifos[0].name = "news";
	if (snprintf(fifo, sizeof fifo, "%s/fifo", c.guard.path) >= (int)sizeof fifo)
		fail(STATUS_TROUBLE, "%s: too long a name", c.guard.path);
	opening_read(opening, d, words[GRACE], words + GRACE);
	if (descriptors_fill() != 0) /* 1 becomes the pipe to the shell */
		fail(STATUS_TROUBLE, "/dev/null:");
	close_others(opening->borrows);
	input = note_input();
	if (opening->shows && (d->jobs.books.out = fcntl(STDOUT_FILENO, F_DUPFD, 3)) < 0)
		fail(STATUS_TROUBLE, "standard output, for the output of jobs:");
	guard_begin(&c.guard);
	c.news = c.guard.fifos[0].writer;
	if (sites_there(&opening->sites) && opening_places(opening, c.guard.path) != 0) {
		guard_remove(&c.guard);
		exit(STATUS_TROUBLE);
	}
	introduce(&c.guard, opening, input);
	set_up(d, &c.guard, opening, words);
	if ((pid = start_both(&c)) != 0) {
		if (guard_ready(&c.guard, pid) != 0) {
			sites_close(&opening->sites);
			leave_with(&c, STATUS_TROUBLE);
		}
		finish_batch(&c, guard_wait(pid));
	}
	descriptors_close(&input);
	descriptors_close(&c.guard.ready);
	descriptors_close(&c.guard.fifos[0].writer);
	leave_den(opening);
	return fifo;
}

void
parent_of_process(struct dispenser *d, const char *path)
{
	/* "process" may outlive the script, and reads. */
	struct charge c = {.guard = {.script = 0, .ready = -1,
	    .fifos = {{.reader = -1, .writer = -1}}}, .fifo = path, .mode = d->mode,
	    .news = STDOUT_FILENO};
	struct stat st;
	pid_t pid;

	if (fstat(STDOUT_FILENO, &st) != 0 || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) {
		program = "jobctrl";
		fail(STATUS_TROUBLE, "nobody reads this: write \"jobctrl N | process M\"");
	}
	guard_ignore();
	if ((pid = start_both(&c)) != 0)
		finish_batch(&c, guard_wait(pid));
}

/* The dispenser blocks TERM until it is ready: background.c. */
static void
heed_signals(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_DFL);
}

void
parent_of_pool(int ready)
{
	long long began;
	int status, served = 0, short_lives = 0;
	pid_t pid;

	guard_ignore();
	do {
		began = clock_now();
		if ((pid = fork()) == 0) {
			heed_signals();
			return;
		}
		if (pid < 0 && !served)
			fail(STATUS_TROUBLE, "fork:");
		background_leave(STDERR_FILENO); /* our starter may wait for its close */
		status = guard_wait(pid);
		served = served || descriptors_poll(ready, 0, 0) != 0; /* our starter has left */
		if (status <= 128 && (status != STATUS_TROUBLE || !served))
			exit(status); /* it ended by itself */
		short_lives = clock_now() - began < SHORT ? short_lives + 1 : 0;
		if (short_lives > 0)
			poll(NULL, 0, SHORT);
	} while (short_lives < ENOUGH);
	exit(STATUS_GONE);
}

void
parent_end(int status)
{
	const unsigned char byte = (unsigned char)status;
	ssize_t n;

	do
		n = alive < 0 ? 0 : write(alive, &byte, 1);
	while (n < 0 && errno == EINTR);
}
