#define _XOPEN_SOURCE 700 /* realpath */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/fifo.h"
#include "../lib/status.h"
#include "inlet.h"

enum {
	LONGEST = 1000000, /* ms of one wait */
	ANSWER = 1800,     /* ms in which any dispenser answers, unless it is stopped */
	FULL = 1000,       /* ms between two tries to write */
	AGAIN = 500        /* ms after which others are looked at without any news */
};

const char *
inlet_default(const char *operand)
{
	const char *path = operand != NULL ? operand : getenv("FIFO");

	if (path == NULL || *path == '\0')
		fail(STATUS_TROUBLE, "no FIFO: none named, and $FIFO is not set");
	return path;
}

const char *
inlet_path(const char *path)
{
	static char *whole; /* to the end */
	struct stat st;

	if (whole == NULL && lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
	    stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
		whole = realpath(path, NULL);
	return whole != NULL ? whole : path;
}

int
inlet_find(const char *path)
{
	int fd = fifo_open(AT_FDCWD, path, O_WRONLY);

	if (fd < 0 && errno == EISDIR)
		fail(STATUS_TROUBLE, "%s: is a directory: give the path of a FIFO, such as "
		    "%s/tokens", path, path);
	if (fd < 0 && errno == EEXIST)
		fail(STATUS_TROUBLE, "%s: not a FIFO: tokend makes the FIFO itself, at a path "
		    "where nothing is", path);
	if (fd < 0 && errno != ENXIO && errno != ENOENT)
		fail(STATUS_TROUBLE, "%s:", path);
	return fd;
}

int
inlet_open(const char *path)
{
	int fd = inlet_find(path);

	if (fd < 0)
		fail(STATUS_GONE, "%s: no tokend runs there", path);
	return fd;
}

/* write(2), without SIGPIPE: EPIPE tells that the dispenser went away. */
static ssize_t
write_quietly(int inlet, const char *text, size_t length)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	ssize_t n = write(inlet, text, length);
	int reason = errno;

	signal(SIGPIPE, before);
	errno = reason;
	return n;
}

int
inlet_send(int inlet, const char *text, size_t length, long long until)
{
	long long left = FULL;

	while (write_quietly(inlet, text, length) < 0) {
		if (errno != EAGAIN && errno != EINTR)
			return -1;
		if (until >= 0 && (left = clock_wait_ms(until)) == 0) {
			errno = ETIMEDOUT;
			return -1;
		}
		descriptors_poll(inlet, POLLOUT, (int)(left < FULL ? left : FULL)); /* or sooner */
	}
	return 0;
}

long long
inlet_soon(void)
{
	return clock_now() + ANSWER;
}

void
inlet_fail(const char *path, int status)
{
	fail(status, "%s: its tokend is stopped, or too busy to answer", path);
}

void
inlet_write(int inlet, const char *path, const char *text)
{
	if (inlet_send(inlet, text, strlen(text), inlet_soon()) == 0)
		return;
	if (errno == ETIMEDOUT)
		inlet_fail(path, STATUS_TROUBLE);
	if (errno == EPIPE)
		fail(STATUS_GONE, "%s: its tokend went away", path);
	fail(STATUS_TROUBLE, "%s:", path);
}

/* As far as an int and the others allow; -1 is for ever. */
static int
wait_for(const int *others, long long ms)
{
	long long most = others != NULL ? AGAIN : LONGEST;

	return ms < 0 && others == NULL ? -1 : (int)(ms < 0 || ms > most ? most : ms);
}

/* The write end polls POLLERR when the last reader is gone. */
int
inlet_watch(int inlet, int answers, const int *others, size_t count, long long ms)
{
	struct pollfd fds[2 + INLET_MOST] = {{.fd = answers, .events = POLLIN}, {.fd = inlet}};
	int n;

	for (size_t i = 0; i < count; i++)
		fds[2 + i].fd = others[i];
	if ((n = poll(fds, 2 + count, wait_for(others, ms))) < 0)
		return errno == EINTR || errno == EAGAIN ? INLET_SAME : -1;
	if (fds[1].revents != 0)
		return INLET_GONE;
	return others != NULL && fds[0].revents == 0 ? INLET_OTHERS : INLET_SAME;
}
