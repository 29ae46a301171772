#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/status.h"
#include "attendant.h"

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif

enum { TRIES = 3 };

/* One process has one standard output. */
static struct {
	char *bytes;
	size_t from, to, size;
	int failures; /* of write, one after another */
	int lost;
} queue;

static char *
room_for(size_t more)
{
	char *bigger;
	size_t size;

	if (queue.from == queue.to)
		queue.from = queue.to = 0;
	if (queue.to + more > queue.size) {
		size = (queue.to + more) * 2;
		if ((bigger = realloc(queue.bytes, size)) == NULL)
			return NULL;
		queue.bytes = bigger;
		queue.size = size;
	}
	return queue.bytes + queue.to;
}

void
attendant_say(const char *format, ...)
{
	char line[PIPE_BUF + 128];
	va_list args;
	char *room;
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
	if ((room = room_for((size_t)n)) == NULL) {
		complain("standard output:");
		queue.lost = 1;
		return;
	}
	memcpy(room, line, (size_t)n);
	queue.to += (size_t)n;
}

void
attendant_fill(char byte, long count)
{
	char *room = room_for((size_t)count);

	if (room == NULL) {
		complain("standard output:");
		queue.lost = 1;
		return;
	}
	memset(room, byte, (size_t)count);
	queue.to += (size_t)count;
}

/* A write has failed, or a look before it: 0 when it is to be tried again. An attendant that reads is told all,
   in order, or nothing more: then it knows that we have gone. */
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

/* The description of standard output is shared with our parent, so it is not
   ours to make non-blocking. A pipe that polls writable takes PIPE_BUF bytes,
   and nobody else writes to it. */
int
attendant_flush(void)
{
	struct pollfd out = {STDOUT_FILENO, POLLOUT, 0};
	size_t n;
	ssize_t written;
	int ready;

	while (!queue.lost && queue.from < queue.to) {
		if ((ready = poll(&out, 1, 0)) < 0) {
			if (failed() != 0)
				return -1;
			continue; /* it may be the last time that we are asked */
		}
		if (ready == 0)
			return 0;
		if (out.revents & (POLLERR | POLLNVAL))
			return -1;
		if (!(out.revents & POLLOUT))
			return 0;
		n = queue.to - queue.from;
		written = write(STDOUT_FILENO, queue.bytes + queue.from, n < PIPE_BUF ? n : PIPE_BUF);
		if (written < 0 && errno == EAGAIN)
			return 0;
		if (written < 0 && failed() != 0)
			return -1;
		if (written < 0)
			continue;
		queue.failures = 0;
		queue.from += (size_t)written;
	}
	return queue.lost ? -1 : 0;
}

size_t
attendant_waiting(void)
{
	return queue.to - queue.from;
}
