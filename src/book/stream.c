#if defined __linux__ && !defined PORTABLE
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>

#include "../lib/descriptors.h"
#include "../lib/room.h"
#include "stream.h"

enum {
	PIPE = 262144,               /* bytes that a job may be ahead */
	BLOCK = 131072,              /* ... and are read at once */
	SMALL = 4096,                /* so much stays in a buffer of its size */
	MOST_HELD = 4 * 1024 * 1024, /* of a line without an end */
	ALL_HELD = 4 * MOST_HELD     /* of all of them, unless there are too many */
};

struct stream *
stream_other(const struct stream *s)
{
	return s->live->streams + (s == s->live->streams);
}

void
sink_leave_aside(struct sink *sink)
{
	if (sink->beside >= 0)
		news_forget(&sink->line, sink->beside);
	sink->beside = -1;
}

void
stream_close(struct stream *s)
{
	int saved = errno;

	if (s->fd < 0)
		return;
	if (stream_other(s)->sink->beside == s->fd)
		sink_leave_aside(stream_other(s)->sink);
	if (s->sink->owner == s && s->sink->watched) {
		news_forget(&s->sink->line, s->fd);
		s->sink->watched = 0;
	}
	s->live->lines->streams[s->fd] = NULL;
	s->live->lines->open--;
	news_drop(&s->sink->in, &s->fd);
	errno = saved;
}

void
live_free(struct live *live)
{
	for (int part = 0; part < 2; part++) {
		stream_close(live->streams + part);
		outbox_drop(&live->streams[part].held);
		free(live->streams[part].tag);
	}
	free(live->line);
	free(live);
}

struct live *
live_make(struct lines *lines)
{
	struct live *live = calloc(1, sizeof *live);

	if (live == NULL)
		return NULL;
	live->lines = lines;
	live->left = 2;
	for (int part = 0; part < 2; part++) {
		live->streams[part].live = live;
		live->streams[part].sink = lines->of[part];
		live->streams[part].fd = -1;
	}
	return live;
}

int
stream_open(struct stream *s, int *end)
{
	struct lines *lines = s->live->lines;
	int ends[2];
	struct stream **bigger;

	if (descriptors_pipe(ends, 0) != 0)
		return -1;
#ifdef F_SETPIPE_SZ /* a quarter of the wake-ups; without it, it is smaller */
	if (s == s->live->streams)
		fcntl(ends[0], F_SETPIPE_SZ, PIPE);
#endif
	bigger = room_for(lines->streams, &lines->room, (size_t)ends[0] + 1, sizeof *bigger);
	if (bigger != NULL)
		lines->streams = bigger;
	if (s->sink->in.epoll < 0 && ends[0] >= FD_SETSIZE)
		errno = EMFILE; /* for lines_fds() */
	else if (bigger != NULL && news_add(&s->sink->in, ends[0], POLLIN) == 0) {
		s->fd = ends[0];
		lines->streams[s->fd] = s;
		lines->open++;
		*end = ends[1];
		return 0;
	}
	descriptors_close(&ends[0]);
	descriptors_close(&ends[1]);
	return -1;
}

/* A read needs a large buffer, what stays of it seldom does: with hundreds of jobs most have but
   some bytes. */
static int
borrow(struct stream *s)
{
	struct outbox *spare = &s->live->lines->spare, held = s->held;

	if (held.room >= BLOCK || spare->bytes == NULL)
		return 0;
	if (outbox_add(spare, outbox_bytes(&held), outbox_waits(&held)) != 0)
		return -1;
	s->held = *spare;
	*spare = (struct outbox){0};
	outbox_drop(&held);
	return 0;
}

/* Without memory it keeps the large one. */
void
stream_give_back(struct stream *s)
{
	struct outbox *spare = &s->live->lines->spare, small = {0};
	size_t n = outbox_waits(&s->held);

	if (s->held.room < BLOCK || n > SMALL || s->sink->to.left > 0 ||
	    (n > 0 && outbox_add(&small, outbox_bytes(&s->held), n) != 0))
		return;
	outbox_drop(spare);
	*spare = s->held;
	spare->start = spare->end = 0;
	s->held = small;
}

int
stream_end_line(struct stream *s)
{
	size_t n = outbox_waits(&s->held);

	if (n > 0 ? s->held.bytes[s->held.end - 1] == '\n'
	    : s->sink->owner != s || !s->sink->to.inside)
		return 0;
	return outbox_add(&s->held, "\n", 1);
}

int
stream_read(struct stream *s)
{
	ssize_t n;

	if (borrow(s) != 0)
		return -1;
	n = outbox_read(&s->held, s->fd, BLOCK);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (s == s->live->streams)
		s->live->bytes += n;
	if (n > 0)
		return 1;
	stream_close(s);
	return stream_end_line(s);
}

/* How long a line may become before it is written in pieces. */
static size_t
longest(const struct lines *lines)
{
	long each = ALL_HELD / (lines->open + 1);

	return each > MOST_HELD ? MOST_HELD : each < BLOCK ? BLOCK : (size_t)each;
}

size_t
stream_length(struct stream *s)
{
	size_t waits = outbox_waits(&s->held), n = waits;

	while (n > s->seen && outbox_bytes(&s->held)[n - 1] != '\n')
		n--;
	if (n > s->seen)
		return n;
	s->seen = waits;
	return s->sink->to.inside || waits > longest(s->live->lines) ? waits : 0;
}
