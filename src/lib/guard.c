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

#include "lib.h"

enum { SOON = 10, LATER = 1000 }; /* ms between two tries: of the first TRIES, of the others */
enum { TRIES = 100 };
#define OPENED "opened" /* holds a byte until the script has opened the FIFOs */

void
guard_of(struct guard *g, const char *script, const char *path)
{
	*g = (struct guard){.script = getppid(), .path = path};
	if (strtol(script, NULL, 10) != g->script) /* such as 1, which adopts an orphan */
		fail(STATUS_TROUBLE, "process %s has not started us, or has died", script);
}

/* The byte is in it now: to empty it later needs no room on the disk. */
static int
make_opened(int dir)
{
	int fd = openat(dir, OPENED, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, "\n", 1);
	close(fd);
	return n == 1 ? 0 : -1;
}

/* Makes it and opens both ends, which block like those that a shell opens. */
static int
make_fifo(int dir, struct guard_fifo *f)
{
	f->reader = f->writer = -1;
	return fifo_open_both(dir, f->name, &f->reader, &f->writer) == 0 &&
	    fcntl(f->reader, F_SETFL, 0) == 0 && fcntl(f->writer, F_SETFL, 0) == 0 ? 0 : -1;
}

/* Exits after a message. Removes the directory, which takes a descriptor. */
static void
give_up_guard(const struct guard *g, int dir, const char *name)
{
	complain("%s/%s:", g->path, name);
	descriptors_close(&dir);
	guard_remove(g);
	exit(STATUS_TROUBLE);
}

void
guard_ignore(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};

	background_leave(STDIN_FILENO);
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL); /* ignored, it would leave nothing to wait for */
}

void
guard_begin(struct guard *g)
{
	struct guard_fifo *f = g->fifos;
	mode_t mask;
	int dir;

	guard_ignore();
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	g->ready = background_begin();
	mask = umask(0);
	if (mkdir(g->path, 0700) != 0)
		fail(STATUS_TROUBLE, "%s:", g->path);
	if ((dir = open(g->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		give_up_guard(g, dir, "");
	for (; f < g->fifos + GUARD_FIFOS && f->name != NULL; f++)
		if (make_fifo(dir, f) != 0)
			give_up_guard(g, dir, f->name);
	if (make_opened(dir) != 0)
		give_up_guard(g, dir, OPENED);
	umask(mask);
	close(dir);
}

int
guard_ready(const struct guard *g, pid_t pid)
{
	if (background_ready(g->ready, STDOUT_FILENO) == 0)
		return 0;
	if (pid > 0)
		kill(pid, SIGKILL);
	guard_wait(pid);
	guard_remove(g);
	return -1;
}

pid_t
guard_start(char **argv, int out, int third)
{
	sigset_t mask;
	const struct child_setup setup = {.in = -1, .out = out, .err = -1, .third = third,
	    .defaults = (const int[]){SIGPIPE, SIGQUIT, SIGXFSZ, 0}, .mask = &mask};
	int error;
	pid_t pid;

	sigemptyset(&mask); /* TERM is held until we are ready */
	if ((error = child_spawn(&pid, argv, &setup)) == 0)
		return pid;
	errno = error;
	complain(error == ENOENT ? "%s: not found on PATH" : "%s:", argv[0]);
	return -1;
}

int
guard_wait(pid_t pid)
{
	return pid < 0 ? STATUS_TROUBLE : child_outcome(pid);
}

void
guard_pause(int tries)
{
	poll(NULL, 0, tries < TRIES ? SOON : LATER);
}

void
guard_await(const struct guard *g)
{
	char name[PATH_MAX];
	struct stat st;

	if (snprintf(name, sizeof name, "%s/" OPENED, g->path) >= (int)sizeof name)
		return;
	for (int tries = 0; stat(name, &st) == 0 && st.st_size > 0 && !family_ended(g->script);
	    tries++)
		guard_pause(tries);
}

void
guard_say(const struct guard *g, int fd, const char *format, ...)
{
	struct outbox line = {0};
	va_list args;

	va_start(args, format);
	outbox_list(&line, format, args);
	va_end(args);
	while (outbox_waits(&line) > 0 && (g->script == 0 || !family_ended(g->script)))
		if (descriptors_poll(fd, POLLOUT, LATER) != 0 &&
		    outbox_write(&line, fd, OUTBOX_PIPE) != 0)
			break; /* its reader has gone */
	outbox_drop(&line);
}

/* Not by rm(1), for which no process may be left; and directories are never deep. */
static int
remove_tree(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (dir == NULL) {
		descriptors_close(&fd);
		return -1;
	}
	while ((entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    remove_tree(fd, entry->d_name) != 0)
			unlinkat(fd, entry->d_name, 0);
	closedir(dir);
	return unlinkat(at, name, AT_REMOVEDIR);
}

/* Tries again: a job that outlives its script may make a file meanwhile. */
void
guard_remove(const struct guard *g)
{
	for (int tries = 1; remove_tree(AT_FDCWD, g->path) != 0 && errno != ENOENT; tries++)
		if (tries == TRIES) {
			complain("%s: cannot be removed:", g->path);
			return;
		}
}
