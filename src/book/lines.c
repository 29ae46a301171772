#include <sys/stat.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/descriptors.h"
#include "lines.h"
#include "stream.h"

enum {
	MOST_LEFT = 1024 * 1024, /* of what was in a pipe when its job ended */
	MOST_READS = 16          /* of one stream, before others have their turn */
};

static int
open_sink(struct sink *sink, int fd)
{
	writer_open(&sink->to, fd);
	sink->beside = -1;
	if (news_open(&sink->in) == 0) {
		if (news_open(&sink->line) == 0)
			return 0;
		news_close(&sink->in);
	}
	writer_close(&sink->to);
	return -1;
}

static void
close_sink(struct sink *sink)
{
	news_close(&sink->in);
	news_close(&sink->line);
	writer_close(&sink->to);
}

struct lines *
lines_open(const int to[2], int (*shown)(void *, const char *), void *context)
{
	struct lines *lines = calloc(1, sizeof *lines);
	struct stat one, other;

	if (lines == NULL)
		return NULL;
	lines->shown = shown;
	lines->context = context;
	lines->count = fstat(to[0], &one) == 0 && fstat(to[1], &other) == 0 &&
	    descriptors_same(&one, &other) ? 1 : 2;
	lines->of[0] = lines->sinks;
	lines->of[1] = lines->sinks + lines->count - 1;
	if (open_sink(lines->of[0], to[0]) == 0) {
		if (lines->count == 1 || open_sink(lines->of[1], to[1]) == 0)
			return lines;
		close_sink(lines->of[0]);
	}
	free(lines);
	return NULL;
}

void
lines_before(struct lines *lines, void (*before)(void *), void *context)
{
	for (struct sink *sink = lines->sinks; sink < lines->sinks + lines->count; sink++)
		if (isatty(sink->to.fd)) {
			sink->to.before = before;
			sink->to.context = context;
		}
}

int
lines_inside(const struct lines *lines)
{
	const struct sink *sink = lines->sinks;

	for (; sink < lines->sinks + lines->count; sink++)
		if (sink->to.before != NULL && (sink->to.inside || sink->blocked))
			return 1;
	return 0;
}

/* One pipe is enough, and keeps what is written to 1 and to 2 in its order, where both go to a
   terminal for which nobody has asked for lines. */
static int
is_joint(const struct lines *lines, char *const tags[2])
{
	return lines->count == 1 && lines->sinks->to.before != NULL && tags[0] == NULL &&
	    tags[1] == NULL;
}

struct live *
lines_begin(struct lines *lines, int ends[2], char *const tags[2])
{
	struct live *live = live_make(lines);

	ends[0] = ends[1] = -1;
	if (live == NULL)
		return NULL;
	if (stream_open(live->streams, &ends[0]) == 0) {
		if (is_joint(lines, tags)) {
			ends[1] = ends[0];
			return live;
		}
		if (stream_open(live->streams + 1, &ends[1]) == 0) {
			live->streams[0].tag = tags[0];
			live->streams[1].tag = tags[1];
			return live;
		}
		descriptors_close(&ends[0]);
	}
	lines_cancel(live);
	return NULL;
}

void
lines_cancel(struct live *live)
{
	int saved = errno;

	live_free(live);
	errno = saved;
}

/* Takes the bytes to write next: 1, or 0 when there are none, or -1 with errno. */
static int
take(struct sink *sink, struct stream *s)
{
	size_t n = stream_length(s);

	if (n == 0)
		return 0;
	s->seen = 0;
	return writer_take(&sink->to, &s->held, n, s->tag) == 0 ? 1 : -1;
}

/* s is the stream that writes now, or NULL. Only inside its unfinished line is it watched alone. */
static int
own(struct sink *sink, struct stream *s)
{
	int watch = s != NULL && s->fd >= 0 && sink->to.inside;

	if (sink->watched && (!watch || s != sink->owner)) {
		news_forget(&sink->line, sink->owner->fd);
		sink->watched = 0;
	}
	if (s != sink->owner)
		sink_leave_aside(sink);
	sink->owner = s;
	if (watch && !sink->watched && news_add(&sink->line, s->fd, POLLIN) != 0)
		return -1;
	sink->watched = watch;
	return 0;
}

/* Nobody reads it, or it is full: jobs must not wait for that. Keeps errno. */
static void
give_up(struct sink *sink, struct stream *s)
{
	int saved = errno;

	sink->broken = 1;
	sink->blocked = 0;
	writer_drop(&sink->to);
	s->live->lost = 1;
	own(sink, NULL);
	errno = saved;
}

/* Writes what a stream has: 1; or 0 when the reader takes no more now; or -1 with errno. */
static int
serve(struct sink *sink, struct stream *s)
{
	int state = 1;

	while (state > 0 && !sink->broken)
		if ((state = writer_write(&sink->to)) > 0 && (state = take(sink, s)) == 0)
			break;
	sink->blocked = state == 0 && sink->to.left > 0;
	if (state < 0 || own(sink, sink->blocked || sink->to.inside ? s : NULL) != 0) {
		give_up(sink, s);
		return -1;
	}
	if (sink->broken) {
		s->live->lost |= outbox_waits(&s->held) > 0;
		outbox_drop(&s->held);
		s->seen = 0;
	}
	stream_give_back(s);
	return !sink->blocked;
}

/* Of a job that has ended. */
static int
finish(struct stream *s)
{
	struct live *live = s->live;
	int bad = 0;

	if (--live->left > 0)
		return 0;
	if (!live->unsaid)
		bad = live->lines->shown(live->lines->context, live->lost ? NULL : live->line);
	lines_cancel(live); /* keeps errno */
	return bad;
}

/* Goes on with who has begun: 1 when others may write, 0 when not, or -1 with errno. */
static int
serve_owner(struct sink *sink)
{
	struct stream *s;
	int state;

	while ((s = sink->owner) != NULL) {
		if ((state = serve(sink, s)) <= 0 || sink->owner == NULL)
			return state;
		if ((state = stream_read(s)) < 0) {
			give_up(sink, s);
			return -1;
		}
		if (state == 0 && s->fd >= 0)
			return 0;
	}
	return 1;
}

static void
note(int *why)
{
	if (*why == 0)
		*why = errno != 0 ? errno : EIO;
}

/* 1 when none is left, else 0. The first error goes into *why, and the next one has its turn. */
static int
serve_ended(struct sink *sink, int *why)
{
	struct stream *s;
	int state;

	while ((s = sink->first) != NULL) {
		if ((state = serve(sink, s)) == 0)
			return 0;
		if (state < 0)
			note(why);
		sink->first = s->next;
		if (finish(s) != 0)
			note(why);
	}
	return 1;
}

/* Serves those that were held back while somebody else wrote there. As serve(). */
static int
serve_stored(struct lines *lines, struct sink *sink)
{
	int state = 1;

	sink->stored = 0;
	for (size_t fd = 0; fd < lines->room && sink->owner == NULL && state >= 0; fd++) {
		struct stream *s = lines->streams[fd];

		if (s == NULL || s->sink != sink || !s->stored)
			continue;
		s->stored = 0;
		state = serve(sink, s);
	}
	sink->stored |= sink->owner != NULL; /* there may be more */
	return state;
}

/* A slow reader stops us anywhere: then we go on with who would have been next. */
static int
serve_running(struct lines *lines, struct sink *sink)
{
	int fd, looked = 0;
	short events;
	struct stream *s;

	if (sink->stored && sink->owner == NULL && serve_stored(lines, sink) < 0)
		return -1;
	while (sink->owner == NULL) {
		if (!news_next(&sink->in, &fd, &events)) {
			if (looked++)
				return 0;
			if (news_wait(&sink->in, 0) != 0)
				return -1;
			continue;
		}
		if ((size_t)fd >= lines->room || (s = lines->streams[fd]) == NULL ||
		    s->sink != sink)
			continue; /* was closed meanwhile */
		if (stream_read(s) < 0) {
			give_up(sink, s);
			return -1;
		}
		if (serve(sink, s) < 0)
			return -1;
	}
	return 0;
}

static void
pump(struct lines *lines, struct sink *sink, int *why)
{
	int state = serve_owner(sink);

	if (state < 0)
		note(why);
	if (state != 0 && serve_ended(sink, why) && serve_running(lines, sink) != 0)
		note(why);
}

/* A job within a line keeps others waiting, but must not wait for them, who may do the same
   elsewhere: its output to the other place is held, however much that is. */
static void
go_aside(struct sink *sink, int *why)
{
	struct stream *s = sink->owner == NULL ? NULL : stream_other(sink->owner);
	int state = 1;

	if (s == NULL || s->fd < 0 || s->sink->owner == NULL || s->sink->owner == s ||
	    s->sink->blocked) {
		sink_leave_aside(sink);
		return;
	}
	for (int i = 0; i < MOST_READS && state > 0; i++)
		state = stream_read(s);
	s->stored = s->sink->stored = 1;
	if (state < 0)
		give_up(s->sink, s);
	if (state >= 0 && (s->fd < 0 || sink->beside >= 0))
		return;
	if (state < 0 || news_add(&sink->line, s->fd, POLLIN) != 0)
		note(why);
	else
		sink->beside = s->fd;
}

int
lines_pump(struct lines *lines)
{
	struct sink *end = lines->sinks + lines->count;
	int why = 0;

	for (struct sink *sink = lines->sinks; sink < end; sink++)
		pump(lines, sink, &why);
	for (struct sink *sink = lines->sinks; sink < end; sink++)
		go_aside(sink, &why);
	errno = why;
	return why != 0 ? -1 : 0;
}

static void
enqueue(struct stream *s)
{
	struct stream **place = &s->sink->first;

	while (*place != NULL)
		place = &(*place)->next;
	*place = s;
}

int
lines_drain(struct live *live)
{
	int bad = 0, state, why = 0;

	for (struct stream *s = live->streams; s < live->streams + 2; s++) {
		size_t before = outbox_waits(&s->held);

		do
			state = s->fd < 0 ? 0 : stream_read(s);
		while (state > 0 && outbox_waits(&s->held) - before < MOST_LEFT);
		stream_close(s);
		if (state < 0 || stream_end_line(s) != 0) {
			bad = 1;
			why = errno;
			give_up(s->sink, s);
		}
	}
	if (bad)
		errno = why;
	return bad ? -1 : 0;
}

long long
lines_bytes(const struct live *live)
{
	return live->bytes;
}

int
lines_end(struct live *live, char *line)
{
	struct stream *waits[2];
	int n = 0;

	live->line = line;
	for (struct stream *s = live->streams; s < live->streams + 2; s++)
		if (outbox_waits(&s->held) > 0 || s->sink->owner == s)
			enqueue(waits[n++] = s);
	live->left = n;
	if (n > 0)
		return 0;
	live->left = 1;
	return finish(live->streams);
}

int
lines_say(struct lines *lines, const char *text)
{
	struct sink *sink = lines->of[1];
	struct live *live;

	if (sink->broken || (sink->owner == NULL && sink->first == NULL) ||
	    (live = live_make(lines)) == NULL)
		return -1;
	live->unsaid = live->left = 1;
	if (outbox_add(&live->streams[1].held, text, strlen(text)) != 0) {
		lines_cancel(live);
		return -1;
	}
	enqueue(live->streams + 1);
	return 0;
}

int
lines_fds(const struct lines *lines, fd_set *in, fd_set *out)
{
	int highest = -1, n;

	for (const struct sink *sink = lines->sinks; sink < lines->sinks + lines->count; sink++) {
		n = sink->to.fd;
		if (sink->blocked)
			FD_SET(n, out);
		else
			n = news_fds(sink->owner != NULL ? &sink->line : &sink->in, in);
		if (n > highest)
			highest = n;
	}
	return highest;
}

int
lines_pending(const struct lines *lines)
{
	return lines->of[0]->first != NULL || lines->of[1]->first != NULL;
}

/* Jobs that run have pipes still: they are told by SIGPIPE when we are gone. */
void
lines_close(struct lines *lines)
{
	for (struct sink *sink = lines->sinks; sink < lines->sinks + lines->count; sink++) {
		while (sink->first != NULL) {
			struct stream *s = sink->first;

			sink->first = s->next;
			if (--s->live->left == 0)
				live_free(s->live);
		}
		close_sink(sink);
	}
	outbox_drop(&lines->spare);
	free(lines->streams);
	free(lines);
}
