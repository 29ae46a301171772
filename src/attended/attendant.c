#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/outbox.h"
#include "attendant.h"

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif

enum { TRIES = 3 };

/* One process has one standard output. */
static struct {
	struct outbox box;
	int failures; /* of write, one after another */
	int lost;
} queue;

static void
put(const char *text, size_t length)
{
	if (outbox_add(&queue.box, text, length) == 0)
		return;
	complain("standard output:");
	queue.lost = 1;
}

void
attendant_say(const char *format, ...)
{
	char line[PIPE_BUF + 128];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (n < 0)
		return;
	if ((size_t)n >= sizeof line) {
		n = (int)sizeof line - 1;
		line[n - 1] = '\n';
	}
	put(line, (size_t)n);
}

void
attendant_fill(char byte, long count)
{
	while (count-- > 0)
		put(&byte, 1);
}

/* A write has failed, or a look before it: 0 when it is to be tried again. An attendant that reads is told
   all, in order, or nothing more: then it knows that we have gone. */
static int
failed(void)
{
	if (errno == EINTR || (errno != EPIPE && ++queue.failures < TRIES))
		return 0;
	if (errno != EPIPE)
		complain("standard output:");
	queue.lost = 1;
	return -1;
}

/* The description of standard output is shared with our parent, so it is not ours to make non-blocking. A
   pipe that polls writable takes PIPE_BUF bytes, and nobody else writes to it. */
int
attendant_flush(void)
{
	struct pollfd out = {STDOUT_FILENO, POLLOUT, 0};
	size_t waits;
	int ready;

	while (!queue.lost && attendant_waits() > 0) {
		if ((ready = poll(&out, 1, 0)) == 0)
			return 0;
		if (ready > 0 && (out.revents & (POLLERR | POLLNVAL)))
			return -1;
		if (ready > 0 && !(out.revents & POLLOUT))
			return 0;
		waits = attendant_waits();
		if (ready < 0 || outbox_write(&queue.box, STDOUT_FILENO, PIPE_BUF) != 0) {
			if (failed() != 0) /* else again: it may be the last time that we are asked */
				return -1;
		} else if (attendant_waits() == waits) {
			return 0;
		} else {
			queue.failures = 0;
		}
	}
	return queue.lost ? -1 : 0;
}

size_t
attendant_waits(void)
{
	return outbox_waits(&queue.box);
}
