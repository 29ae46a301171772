#define _XOPEN_SOURCE 700 /* setitimer */
#include <sys/stat.h>
#include <sys/time.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/descriptors.h"
#include "../lib/fifo.h"
#include "../lib/number.h"
#include "jobserver.h"
#include "makeflags.h"

enum {
	MOST = 256,      /* jobs, if MAKEFLAGS says more, or nothing */
	BRIEF = 10000,   /* microseconds to block in read if somebody else got the byte */
	ROOM = 10,       /* ms between two tries to write into a full pipe ... */
	TRIES = 100,     /* ... and how many of them */
	READS = 3        /* failures for an unknown reason: then make is gone */
};

#define HINT "; only a recipe line that begins with '+' gets it"

static struct {
	int read, write;
	char *path;      /* opens the write end, which is closed while we hold no token; or NULL: it
	                    stays open */
	int blocking;    /* read() may block, for the description is not ours alone */
	int gone;        /* nothing will be read any more */
	char *bytes;     /* the tokens that we have */
	long held, room;
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

/* A copy of the value in a word, without its backslashes, for the caller to free; NULL for no
   memory. */
static char *
value_of(const char *value, const char *end)
{
	char *copy = malloc((size_t)(end - value) + 1), *to = copy;

	if (copy == NULL)
		return NULL;
	while (value < end) {
		if (*value == '\\' && value + 1 < end)
			value++;
		*to++ = *value++;
	}
	*to = '\0';
	return copy;
}

/* The words of MAKEFLAGS about a jobserver. */
struct announced {
	char *auth;     /* the last one named, to be freed */
	char *path;     /* tokget's, as a variable (makeflags.h), to be freed */
	int fds, auths; /* there is --jobserver-fds; --jobserver-auth */
	int lost;       /* there was no memory */
};

static void
keep(struct announced *a, char **copy, const char *value, const char *end)
{
	free(*copy);
	if ((*copy = value_of(value, end)) == NULL)
		a->lost = 1;
}

static void
read_word(struct announced *a, const char *word, const char *end)
{
	const char *value;
	char *copy;

	if ((value = makeflags_after(word, "--jobserver-auth=")) != NULL) {
		keep(a, &a->auth, value, end);
		a->auths = 1;
	} else if ((value = makeflags_after(word, "--jobserver-fds=")) != NULL) {
		keep(a, &a->auth, value, end);
		a->fds = 1;
	} else if ((value = makeflags_after(word, "-j")) != NULL) {
		copy = value_of(value, end);
		if (copy == NULL || number_scan(copy, 1, MOST, &server.jobs) != 0)
			server.jobs = MOST;
		free(copy);
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
			keep(a, &a->path, value, flags);
	}
}

static void
close_both(void)
{
	descriptors_close(&server.read);
	descriptors_close(&server.write);
}

/* Opens the same file once more, or -1. */
static int
open_same(const char *path, int mode, const struct stat *is)
{
	struct stat st;
	int fd = fifo_open(AT_FDCWD, path, mode);

	if (fd < 0 || (fstat(fd, &st) == 0 && descriptors_same(&st, is)))
		return fd;
	close(fd);
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

	if (getenv("MAKELEVEL") == NULL || (server.path = strdup(path)) == NULL)
		return;
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
	server.blocking = 0;
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

enum { OWN_PATH = 40 };

/* A path by which an open end can be opened anew; "": the system has none. */
static const char *
path_of(char path[OWN_PATH], int fd)
{
	path[0] = '\0';
#if defined __linux__ && !defined PORTABLE
	snprintf(path, OWN_PATH, "/proc/self/fd/%d", fd);
#else
	(void)fd;
#endif
	return path;
}

/* Opens the same end anew, since O_NONBLOCK on the inherited description would change it for make
   and all others, too. -1: the system cannot. */
static int
reopen(int fd, int mode, const struct stat *is)
{
	char path[OWN_PATH];

	return open_same(path_of(path, fd), mode, is);
}

static int
open_pipe(int from, int to, int alone)
{
	struct stat in, out;
	char path[OWN_PATH];

	if (check_end(from, O_RDONLY, &in) != 0 || check_end(to, O_WRONLY, &out) != 0)
		return -1;
	if (!belong_together(&in, &out))
		return unusable("descriptors %d and %d are of different pipes" HINT, from, to);
	server.read = reopen(from, O_RDONLY, &in);
	if ((server.blocking = server.read < 0))
		server.read = fcntl(from, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	server.write = reopen(to, O_WRONLY, &out);
	if (server.write < 0)
		server.write = fcntl(to, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (server.read < 0 || server.write < 0)
		return unusable("descriptors %d and %d: %s", from, to, strerror(errno));
	if (alone) {
		close(from);
		if (to != from)
			close(to);
		if (descriptors_same(&in, &out))
			let_go_jobserver(path_of(path, server.read));
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

/* If make has closed its descriptors, its tokens are not for us. But make, unlike tokget, writes
   only one of the two words: so if both are there, another program has closed them. */
static int
open_announced(const struct announced *a, int alone)
{
	if (open_auth(a->auth, alone) == 0)
		return 0;
	close_both();
	return a->fds && a->auths && a->path != NULL ? open_fifo(a->path, alone) : -1;
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
	if (a.lost) {
		*why = "no memory";
	} else if (a.auth != NULL && open_announced(&a, alone) != 0) {
		close_both();
		*why = server.why;
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

static int doomed = -1;

static void
on_alarm(int sig)
{
	(void)sig;
	descriptors_close(&doomed);
}

/* Somebody else may take the byte between poll(2) and a read(2) that blocks. A timer ends that
   read: its handler closes the descriptor, so read returns a byte or an error, even if the timer
   comes before it. */
static ssize_t
read_briefly(char *byte)
{
	struct itimerval brief = {{0, 0}, {0, BRIEF}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {0}, before;
	sigset_t one, mask;
	ssize_t n;
	int error;

	errno = EAGAIN;
	if (descriptors_poll(server.read, POLLIN, 0) == 0 ||
	    (doomed = fcntl(server.read, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) < 0)
		return -1;
	action.sa_handler = on_alarm;
	sigemptyset(&action.sa_mask);
	sigemptyset(&one);
	sigaddset(&one, SIGALRM);
	sigaction(SIGALRM, &action, &before);
	sigprocmask(SIG_UNBLOCK, &one, &mask);
	setitimer(ITIMER_REAL, &brief, NULL);
	n = read(doomed, byte, 1);
	error = n < 0 && (errno == EINTR || errno == EBADF) ? EAGAIN : errno;
	setitimer(ITIMER_REAL, &never, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGALRM, &before, NULL);
	on_alarm(SIGALRM);
	errno = error;
	return n;
}

static int
take_byte(void)
{
	char *bigger;
	int tries = 0;
	ssize_t n;

	if (server.held == server.room) {
		if ((bigger = realloc(server.bytes, (size_t)server.room + MOST)) == NULL)
			return 0;
		server.bytes = bigger;
		server.room += MOST;
	}
	do
		n = server.blocking ? read_briefly(server.bytes + server.held)
		                    : read(server.read, server.bytes + server.held, 1);
	while (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK &&
	    (errno == EINTR || ++tries < READS));
	if (n == 1)
		server.held++;
	else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
		server.gone = 1;
	return n == 1;
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
	int taken;

	if (running == 0 || server.held >= running)
		return 1;
	taken = jobserver_fd() >= 0 && may_take() && take_byte();
	close_write();
	return taken;
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
	free(server.bytes);
	free(server.path);
	server.bytes = server.path = NULL;
	server.room = 0;
}
