#if defined __linux__ && !defined PORTABLE
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#endif
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/descriptors.h"
#include "../lib/news.h"
#include "../lib/outbox.h"
#include "../lib/room.h"
#include "lines.h"
#include "progress.h"
#include "tag.h"

enum {
	PIPE = 262144,               /* bytes that a job may be ahead */
	BLOCK = 131072,              /* ... and are read at once */
	MOST_READS = 8,              /* of what was in a pipe when its job ended */
	MOST_HELD = 4 * 1024 * 1024, /* of a line without an end */
	ALL_HELD = 4 * MOST_HELD     /* of all of them, unless there are too many */
};

/* The output of a job, to 1 or to 2. */
struct stream {
	struct live *live;
	struct sink *sink;
	int fd;              /* -1: nothing more comes */
	int watched;         /* it is among the news of the sink */
	char *tag;           /* or NULL */
	struct outbox held;  /* a line without its end, or all that the sink cannot take now */
	long long end;       /* of what the sink has of it, among all that the sink ever had */
};

struct live {
	struct live *next;
	struct lines *lines;
	struct stream streams[2];
	char *line;          /* for shown() */
	int ended;
	int lost;            /* not all was read, or written */
	long long bytes;     /* to 1 */
};

/* Where both, or one of them, goes. */
struct sink {
	int fd, own;            /* own: we opened it, and it does not block; or -1 */
	int terminal;           /* progress.h may have drawn there */
	int whole;              /* it takes any size at once, or as much as it can */
	int broken;             /* it takes no more at all */
	struct outbox out;      /* to be written, with tags; nothing is read while some is left */
	long long written;      /* bytes, until it was broken */
	int inside;             /* what it was given last ends within a line ... */
	struct stream *owner;   /* ... of this stream: nobody else writes; or NULL */
	struct outbox said;     /* messages for after that */
	int stored;             /* there are some, or lines of streams that it could not take */
	struct news in;         /* streams that may be read */
};

struct lines {
	struct sink sinks[2], *of[2]; /* both are the first where 1 and 2 are one file */
	int count;
	struct live *first;           /* all; those that have ended in the order of their ends */
	struct stream **streams;      /* by descriptor */
	size_t room;
	long open;                    /* streams */
	int changed;                  /* some sink has another owner */
	int (*shown)(void *, const char *);
	void *context;
};

static int
open_sink(struct sink *sink, int fd)
{
	struct stat st;

	sink->fd = fd;
	sink->own = -1;
	sink->terminal = isatty(fd);
	if (news_open(&sink->in) != 0)
		return -1;
	if (fstat(fd, &st) != 0 || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return 0; /* a write(2) says so */
	if ((sink->own = descriptors_unblocked(fd)) >= 0)
		sink->fd = sink->own;
	sink->whole = sink->own >= 0 || S_ISREG(st.st_mode);
	return 0;
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
	for (int i = 0; i < lines->count; i++)
		if (open_sink(lines->sinks + i, to[i]) != 0)
			return NULL;
	return lines;
}

int
lines_inside(const struct lines *lines)
{
	const struct sink *sink = lines->sinks;

	for (; sink < lines->sinks + lines->count; sink++)
		if (sink->terminal && (sink->inside || outbox_waits(&sink->out) > 0))
			return 1;
	return 0;
}

/* Nothing more is read of it. Keeps errno. */
static void
close_stream(struct stream *s)
{
	int saved = errno;

	if (s->fd < 0)
		return;
	s->live->lines->streams[s->fd] = NULL;
	s->live->lines->open--;
	news_drop(&s->sink->in, &s->fd);
	errno = saved;
}

/* Keeps errno. */
static void
free_live(struct live *live)
{
	int saved = errno;

	for (struct stream *s = live->streams; s < live->streams + 2; s++) {
		close_stream(s);
		outbox_drop(&s->held);
		free(s->tag);
	}
	free(live->line);
	free(live);
	errno = saved;
}

/* Makes its pipe, whose *end is the job's: 0, or -1 with errno. */
static int
open_stream(struct stream *s, int *end)
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
		s->watched = lines->changed = 1;
		lines->streams[s->fd] = s;
		lines->open++;
		*end = ends[1];
		return 0;
	}
	descriptors_close(&ends[0]);
	descriptors_close(&ends[1]);
	return -1;
}

/* One pipe is enough, and keeps what is written to 1 and to 2 in its order, where both go to a
   terminal for which nobody has asked for lines. */
struct live *
lines_begin(struct lines *lines, int ends[2], char *const tags[2])
{
	struct live *live = calloc(1, sizeof *live);

	ends[0] = ends[1] = -1;
	if (live == NULL)
		return NULL;
	live->lines = lines;
	for (int part = 0; part < 2; part++)
		live->streams[part] = (struct stream){.live = live, .sink = lines->of[part],
		    .fd = -1};
	if (open_stream(live->streams, &ends[0]) == 0) {
		if (lines->count == 1 && lines->sinks->terminal && tags[0] == NULL &&
		    progress_make_way())
			ends[1] = ends[0];
		if (ends[1] >= 0 || open_stream(live->streams + 1, &ends[1]) == 0) {
			live->streams[0].tag = tags[0];
			live->streams[1].tag = tags[1];
			live->next = lines->first;
			lines->first = live;
			return live;
		}
		descriptors_close(&ends[0]);
	}
	free_live(live);
	return NULL;
}

static void
take_out(struct live *live)
{
	struct live **at = &live->lines->first;

	while (*at != live)
		at = &(*at)->next;
	*at = live->next;
}

void
lines_cancel(struct live *live)
{
	take_out(live);
	free_live(live);
}

/* Nobody reads it, or it is full: jobs must not wait for that. Keeps errno. */
static void
give_up(struct lines *lines, struct sink *sink)
{
	int saved = errno;

	sink->broken = lines->changed = 1;
	sink->inside = 0;
	sink->owner = NULL;
	outbox_drop(&sink->out);
	outbox_drop(&sink->said);
	errno = saved;
}

/* How long a line may become before it is written in pieces. */
static size_t
longest(const struct lines *lines)
{
	long each = ALL_HELD / (lines->open + 1);

	return each > MOST_HELD ? MOST_HELD : each < BLOCK ? BLOCK : (size_t)each;
}

/* Gives it to the sink, which s owns while that ends within a line: 0, or -1 with errno. */
static int
put(struct stream *s, const char *text, size_t length)
{
	struct sink *sink = s->sink;
	struct stream *before = sink->owner;

	if (length == 0)
		return 0;
	if (sink->broken) {
		s->live->lost = 1;
		return 0;
	}
	if (s->tag == NULL ? outbox_add(&sink->out, text, length) != 0
	    : tag_lines(&sink->out, s->tag, text, length, &sink->inside) != 0)
		return -1;
	sink->inside = text[length - 1] != '\n';
	sink->owner = sink->inside ? s : NULL;
	s->live->lines->changed |= sink->owner != before;
	s->end = sink->written + (long long)outbox_waits(&sink->out);
	return 0;
}

static int
put_held(struct stream *s)
{
	int bad = put(s, outbox_bytes(&s->held), outbox_waits(&s->held));

	outbox_drop(&s->held);
	return bad;
}

/* Takes more of it: lines go to the sink, as far as that can take them; the rest is held. Tags may
   be much longer than the lines. 0, or -1 with errno. */
static int
take(struct stream *s, const char *text, size_t length)
{
	struct sink *sink = s->sink;
	size_t whole = length;

	if ((sink->owner != NULL && sink->owner != s) || outbox_waits(&sink->out) > BLOCK) {
		sink->stored = 1;
		return outbox_add(&s->held, text, length);
	}
	while (whole > 0 && text[whole - 1] != '\n')
		whole--;
	if (whole > 0 && (put_held(s) != 0 || put(s, text, whole) != 0))
		return -1;
	if (whole < length && outbox_add(&s->held, text + whole, length - whole) != 0)
		return -1;
	return sink->owner == s || outbox_waits(&s->held) > longest(s->live->lines)
	    ? put_held(s) : 0;
}

/* Adds the newline that the last line of one that has ended lacks: 0, or -1 with errno. */
static int
end_line(struct stream *s)
{
	size_t n = outbox_waits(&s->held);

	if (n > 0 ? outbox_bytes(&s->held)[n - 1] == '\n' : s->sink->owner != s)
		return 0;
	return take(s, "\n", 1);
}

/* Reads once: 1; or 0 for nothing, now or for ever; or -1 with errno. */
static int
read_stream(struct stream *s)
{
	static char block[BLOCK];
	ssize_t n = read(s->fd, block, sizeof block);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (s == s->live->streams)
		s->live->bytes += n;
	if (n > 0)
		return take(s, block, (size_t)n) == 0 ? 1 : -1;
	close_stream(s);
	return end_line(s);
}

/* A job within a line keeps others waiting, but must not wait for them, who may do the same
   elsewhere: its output to the other place is read and held, however much that is. */
static int
may_read(const struct stream *s)
{
	const struct stream *other = s->live->streams + (s == s->live->streams);

	return s->sink->owner == NULL || s->sink->owner == s || other->sink->owner == other;
}

static int
watch(struct lines *lines)
{
	lines->changed = 0;
	for (struct live *live = lines->first; live != NULL; live = live->next)
		for (struct stream *s = live->streams; s < live->streams + 2; s++) {
			if (s->fd < 0 || s->watched == may_read(s))
				continue;
			if (s->watched)
				news_forget(&s->sink->in, s->fd);
			else if (news_add(&s->sink->in, s->fd, POLLIN) != 0)
				return -1;
			s->watched = !s->watched;
		}
	return 0;
}

/* Serves those that were held back while it could not take it: 0, or -1 with errno. */
static int
take_stored(struct lines *lines, struct sink *sink)
{
	struct outbox held;
	int bad = 0;

	if (sink->owner == NULL) {
		bad = outbox_add(&sink->out, outbox_bytes(&sink->said), outbox_waits(&sink->said));
		outbox_drop(&sink->said);
	}
	sink->stored = outbox_waits(&sink->said) > 0;
	for (struct live *live = lines->first; live != NULL; live = live->next)
		for (struct stream *s = live->streams; s < live->streams + 2; s++)
			if (s->sink == sink && outbox_waits(&s->held) > 0) {
				held = s->held;
				s->held = (struct outbox){0};
				bad |= take(s, outbox_bytes(&held), outbox_waits(&held));
				outbox_drop(&held);
			}
	return bad;
}

/* Writes what the reader takes now: 0, or -1 with errno. */
static int
write_out(struct sink *sink)
{
	size_t waits;

	while ((waits = outbox_waits(&sink->out)) > 0) {
		if (!sink->whole && !descriptors_poll(sink->fd, POLLOUT, 0))
			return 0;
		if (sink->terminal)
			progress_make_way();
		if (outbox_write(&sink->out, sink->fd, sink->whole ? OUTBOX_ALL : OUTBOX_PIPE) != 0)
			return -1;
		if (outbox_waits(&sink->out) == waits)
			return 0;
		sink->written += (long long)(waits - outbox_waits(&sink->out));
	}
	return 0;
}

/* Writes and reads for one of them, as long as its reader takes it: 0, or -1 with errno. */
static int
pump(struct lines *lines, struct sink *sink)
{
	int fd, looked = 0;
	short events;
	struct stream *s;

	for (;;) {
		if (write_out(sink) != 0)
			return -1;
		if (outbox_waits(&sink->out) > 0)
			return 0;
		if (sink->stored && take_stored(lines, sink) != 0)
			return -1;
		if (outbox_waits(&sink->out) > 0)
			continue;
		if (!news_next(&sink->in, &fd, &events)) {
			if (looked++)
				return 0;
			if ((lines->changed && watch(lines) != 0) || news_wait(&sink->in, 0) != 0)
				return -1;
			continue;
		}
		s = (size_t)fd < lines->room ? lines->streams[fd] : NULL;
		if (s != NULL && s->sink == sink && may_read(s) && read_stream(s) < 0)
			return -1;
	}
}

/* Tells of jobs that have ended and whose output is written, or lost: 0, or -1 with errno. */
static int
tell(struct lines *lines)
{
	struct live *next;
	int why = 0;

	for (struct live *live = lines->first; live != NULL; live = next) {
		int waits = !live->ended;

		for (struct stream *s = live->streams; s < live->streams + 2; s++) {
			int left = s->end > s->sink->written;

			waits |= outbox_waits(&s->held) > 0 || (left && !s->sink->broken);
			live->lost |= left && s->sink->broken;
		}
		next = live->next;
		if (waits)
			continue;
		if (lines->shown(lines->context, live->lost ? NULL : live->line) != 0)
			why = errno != 0 ? errno : EIO;
		lines_cancel(live);
	}
	errno = why;
	return why != 0 ? -1 : 0;
}

int
lines_pump(struct lines *lines)
{
	int why = 0;

	for (struct sink *sink = lines->sinks; sink < lines->sinks + lines->count; sink++)
		if (pump(lines, sink) != 0) {
			why = why != 0 ? why : errno;
			give_up(lines, sink);
		}
	if (lines->changed && watch(lines) != 0 && why == 0)
		why = errno;
	if (tell(lines) != 0 && why == 0)
		why = errno;
	errno = why;
	return why != 0 ? -1 : 0;
}

int
lines_drain(struct live *live)
{
	int state, why = 0;

	for (struct stream *s = live->streams; s < live->streams + 2; s++) {
		int reads = 0;

		do
			state = s->fd < 0 ? 0 : read_stream(s);
		while (state > 0 && ++reads < MOST_READS);
		close_stream(s);
		if (state < 0 || end_line(s) != 0) {
			why = errno;
			live->lost = 1;
			give_up(live->lines, s->sink);
		}
	}
	errno = why;
	return why != 0 ? -1 : 0;
}

long long
lines_bytes(const struct live *live)
{
	return live->bytes;
}

int
lines_end(struct live *live, char *line)
{
	struct lines *lines = live->lines;
	struct live **at = &lines->first;

	take_out(live);
	while (*at != NULL)
		at = &(*at)->next;
	*at = live;
	live->next = NULL;
	live->line = line;
	live->ended = 1;
	return tell(lines);
}

int
lines_say(struct lines *lines, const char *text)
{
	struct sink *sink = lines->of[1];

	if (sink->broken || (sink->owner == NULL && outbox_waits(&sink->out) == 0))
		return -1;
	sink->stored |= sink->owner != NULL;
	return outbox_add(sink->owner != NULL ? &sink->said : &sink->out, text, strlen(text));
}

int
lines_fds(const struct lines *lines, fd_set *in, fd_set *out)
{
	int highest = -1, n;

	for (const struct sink *sink = lines->sinks; sink < lines->sinks + lines->count; sink++) {
		n = sink->fd;
		if (outbox_waits(&sink->out) > 0)
			FD_SET(n, out);
		else
			n = news_fds(&sink->in, in);
		if (n > highest)
			highest = n;
	}
	return highest;
}

int
lines_pending(const struct lines *lines)
{
	const struct live *live = lines->first;

	while (live != NULL && !live->ended)
		live = live->next;
	return live != NULL || outbox_waits(&lines->of[0]->out) > 0 ||
	    outbox_waits(&lines->of[1]->out) > 0;
}
