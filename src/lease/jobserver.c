#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lease.h"

enum {
	MOST = 256,      /* jobs, if MAKEFLAGS says more, or nothing */
	MOST_HELD = 8192,
	ROOM = 10,       /* ms between two tries to write into a full pipe ... */
	TRIES = 100      /* ... and how many of them */
};

#define HINT "; only a recipe line that begins with '+' gets it"

static struct {
	int read, write;
	char *path;      /* opens the write end, which is closed while we hold no token; or NULL: it
	                    stays open */
	int gone;        /* nothing will be read any more */
	char bytes[MOST_HELD]; /* the tokens that we have */
	long held;
	long jobs;
	char why[256];
} server = {.read = -1, .write = -1};

static int
unusable(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(server.why, sizeof server.why, format, args);
	va_end(args);
	return -1;
}

/* The words of MAKEFLAGS about a jobserver. */
struct announced {
	char *auth;     /* the last one named, to be freed */
	char *path;     /* tokget's, as a variable (makeflags.c), to be freed */
	int fds, auths; /* there is --jobserver-fds; --jobserver-auth */
};

/* Keeps a copy of a value, without its backslashes. */
static void
keep_value(char **copy, const char *value, const char *end)
{
	char *to;

	free(*copy);
	to = *copy = need_memory(malloc((size_t)(end - value) + 1));
	while (value < end) {
		if (*value == '\\' && value + 1 < end)
			value++;
		*to++ = *value++;
	}
	*to = '\0';
}

static void
read_word(struct announced *a, const char *word, const char *end)
{
	const char *value;
	char *last;
	long jobs;

	if ((value = makeflags_after(word, "--jobserver-auth=")) != NULL) {
		keep_value(&a->auth, value, end);
		a->auths = 1;
	} else if ((value = makeflags_after(word, "--jobserver-fds=")) != NULL) {
		keep_value(&a->auth, value, end);
		a->fds = 1;
	} else if ((value = makeflags_after(word, "-j")) != NULL) {
		jobs = strtol(value, &last, 10);
		server.jobs = last == end && jobs > 0 && jobs < MOST ? jobs : MOST;
	}
}

static void
read_flags(struct announced *a, const char *flags)
{
	const char *word, *value;
	int first = *flags != ' ' && *flags != '-', variables = 0;
	size_t n;

	server.jobs = MOST;
	for (; (n = makeflags_word(&flags, &word)) > 0; first = 0) {
		if (first && memchr(word, '=', n) == NULL && memchr(word, 'n', n) != NULL)
			return; /* -n, among the letters */
		if (makeflags_after(word, "--") == flags)
			variables = 1;
		else if (!variables)
			read_word(a, word, flags);
		else if ((value = makeflags_after(word, "--jobserver-auth=fifo:")) != NULL)
			keep_value(&a->path, value, flags);
	}
}

static void
close_both(void)
{
	descriptors_close(&server.read);
	descriptors_close(&server.write);
}

/* Opens the same file once more, such that it does not block, or -1. */
static int
open_same(const char *path, int mode, const struct stat *is)
{
	struct stat st;
	int fd = fifo_open(AT_FDCWD, path, mode);

	if (fd < 0 || (fstat(fd, &st) == 0 && descriptors_same(&st, is) &&
	    (fcntl(fd, F_GETFL) & O_NONBLOCK)))
		return fd;
	close(fd);
	errno = ENOTSUP; /* we got the same description, whose flags are make's */
	return -1;
}

/* Opens the write end, if it is closed: 0, or -1. */
static int
open_write(void)
{
	struct stat st;

	if (server.write < 0 && fstat(server.read, &st) == 0)
		server.write = open_same(server.path, O_WRONLY, &st);
	return server.write < 0 ? -1 : 0;
}

static void
close_write(void)
{
	if (server.path != NULL && server.held == 0)
		descriptors_close(&server.write);
}

/* 1 if nobody can write any more: make has ended, or is about to. */
static int
hung_up(void)
{
	return server.write < 0 && (descriptors_poll(server.read, POLLIN, 0) & POLLHUP) != 0;
}

/* When all is built, make reads its tokens until nobody can write any more. A program that outlives
   its recipe, and holds no token, must not keep make from that. */
static void
let_go_jobserver(const char *path)
{
	int open = server.write;

	if (getenv("MAKELEVEL") == NULL)
		return;
	server.path = need_memory(strdup(path));
	server.write = -1;
	if (open_write() == 0) {
		close(open);
		descriptors_close(&server.write);
		if (!hung_up() || open_write() != 0) /* such as a pool that no make uses */
			return;
	} else {
		server.write = open;
	}
	free(server.path);
	server.path = NULL;
}

/* Opens the write end first, which fails if nobody reads: then no make is behind it. */
static int
open_fifo(const char *path, int alone)
{
	if ((server.write = fifo_open(AT_FDCWD, path, O_WRONLY)) >= 0 &&
	    (server.read = fifo_open(AT_FDCWD, path, O_RDONLY)) >= 0) {
		if (alone)
			let_go_jobserver(path);
		return 0;
	}
	return unusable("%s: %s", path, errno == ENXIO ? "no make is behind it"
	        : errno == EEXIST                      ? "not a FIFO"
	                                               : strerror(errno));
}

/* Make 4.3 names its descriptors in all recipes. If they are not for us, they are closed, or are
   another file's. */
static int
check_end(int fd, int mode, struct stat *st)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return unusable("descriptor %d is closed" HINT, fd);
	if (fstat(fd, st) != 0 || !S_ISFIFO(st->st_mode) ||
	    ((flags & O_ACCMODE) != mode && (flags & O_ACCMODE) != O_RDWR))
		return unusable("descriptor %d is something else" HINT, fd);
	return 0;
}

/* 1 if both are ends of one pipe, or of two FIFOs with names, such as tokend's. (Pipes are all on a
   device of their own.) */
static int
belong_together(const struct stat *a, const struct stat *b)
{
	struct stat nameless;
	int ends[2], known;

	if (descriptors_same(a, b))
		return 1;
	if (pipe(ends) != 0)
		return 0;
	known = fstat(ends[0], &nameless) == 0;
	close(ends[0]);
	close(ends[1]);
	return known && a->st_dev != nameless.st_dev && b->st_dev != nameless.st_dev;
}

/* The pipe is opened anew: O_NONBLOCK on the inherited descriptions would be for make and all
   others, too. */
static int
open_pipe(int from, int to, int alone)
{
	struct stat in, out;
	char read_path[32], write_path[32];

	if (check_end(from, O_RDONLY, &in) != 0 || check_end(to, O_WRONLY, &out) != 0)
		return -1;
	if (!belong_together(&in, &out))
		return unusable("descriptors %d and %d are of different pipes" HINT, from, to);
	snprintf(read_path, sizeof read_path, "/dev/fd/%d", from);
	snprintf(write_path, sizeof write_path, "/dev/fd/%d", to);
	if ((server.read = open_same(read_path, O_RDONLY, &in)) < 0 ||
	    (server.write = open_same(write_path, O_WRONLY, &out)) < 0)
		return unusable("descriptors %d and %d cannot be opened anew: %s; from 4.4 on, "
		    "make --jobserver-style=fifo has no such", from, to, strerror(errno));
	if (alone) {
		close(from);
		if (to != from)
			close(to);
		snprintf(read_path, sizeof read_path, "/dev/fd/%d", server.read);
		if (descriptors_same(&in, &out))
			let_go_jobserver(read_path);
	}
	return 0;
}

static int
open_auth(char *auth, int alone)
{
	char *comma = strchr(auth, ',');
	long from, to;

	if (strncmp(auth, "fifo:", strlen("fifo:")) == 0)
		return open_fifo(auth + strlen("fifo:"), alone);
	if (comma != NULL) {
		*comma = '\0';
		if (number_scan(auth, 0, INT_MAX, &from) == 0 &&
		    number_scan(comma + 1, 0, INT_MAX, &to) == 0)
			return open_pipe((int)from, (int)to, alone);
		*comma = ',';
		if (*auth == '-')
			return unusable("it is switched off here" HINT);
	}
	return unusable("%s: of a kind unknown here", auth);
}

int
jobserver_open(int alone, const char **why)
{
	const char *flags = getenv("MAKEFLAGS");
	static int at_end;
	struct announced a = {0};

	*why = NULL;
	if (flags != NULL)
		read_flags(&a, flags);
	if (a.auth != NULL && open_auth(a.auth, alone) != 0) {
		close_both();
		/* If make has closed its descriptors, its tokens are not for us. But make, unlike
		   tokget, writes only one of the two words: with both, another program has. */
		if (!a.fds || !a.auths || a.path == NULL || open_fifo(a.path, alone) != 0) {
			close_both();
			*why = server.why;
		}
	}
	free(a.auth);
	free(a.path);
	if (server.read < 0)
		return -1;
	server.gone = 0;
	if (!at_end)
		atexit(jobserver_close);
	at_end = 1;
	return 0;
}

/* Without -j, make runs one job at a time, too, but does not say so: that is no limit for us. */
int
jobserver_single(void)
{
	return server.read < 0 && server.jobs == 1 && getenv("MAKELEVEL") != NULL;
}

long
jobserver_jobs(void)
{
	return server.jobs;
}

/* Make removes its FIFO when it ends; not every poll(2) reports that the last writer has gone. */
int
jobserver_ended(void)
{
	struct stat is, there;

	if (server.path == NULL || server.held > 0)
		return 0;
	return hung_up() || (stat(server.path, &there) != 0 ? errno == ENOENT
	    : fstat(server.read, &is) == 0 && !descriptors_same(&is, &there));
}

int
jobserver_fd(void)
{
	return server.gone ? -1 : server.read;
}

/* 1 if we may: the bytes that make collects at its end are not for us. */
static int
may_take(void)
{
	if (server.write >= 0)
		return 1;
	server.gone = server.gone || hung_up() ||
	    ((descriptors_poll(server.read, POLLIN, 0) & POLLIN) && open_write() != 0);
	return server.write >= 0;
}

int
jobserver_take(long running)
{
	ssize_t n = 0;

	if (running == 0 || server.held >= running)
		return 1;
	if (server.held < MOST_HELD && jobserver_fd() >= 0 && may_take()) {
		while ((n = read(server.read, server.bytes + server.held, 1)) < 0 && errno == EINTR)
			;
		server.held += n == 1;
		server.gone = n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
	}
	close_write();
	return n == 1;
}

/* The byte was in the pipe before, so there is room for it; but only once readers have emptied a
   whole page of the pipe. */
static void
put_back(char byte)
{
	int tries = 0;

	while (write(server.write, &byte, 1) < 0) {
		if (errno == EPIPE)
			return; /* make is gone */
		if (errno != EINTR && ++tries > TRIES)
			return; /* such as when others have filled the pipe */
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			descriptors_poll(server.write, POLLOUT, ROOM);
	}
}

void
jobserver_settle(long running)
{
	while (server.held > 0 && server.held >= running)
		put_back(server.bytes[--server.held]);
	close_write();
}

void
jobserver_close(void)
{
	jobserver_settle(0);
	close_both();
	free(server.path);
	server.path = NULL;
}
