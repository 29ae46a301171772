#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "book.h"

enum {
	BLOCK = 131072,       /* bytes that are read, or given on, at once */
	MOST_READS = 8,       /* of what was in a pipe when its job ended */
	MOST_WRITES = 16,     /* to one reader, before others have their turn */
	MOST_HELD = 4 * BLOCK /* of a line without an end */
};

/* The output of a job, to 1 or to 2. */
struct stream {
	struct live *live;
	struct sink *sink;
	int fd;             /* -1: nothing more comes */
	int watched;        /* it is among the news: 0 once it had some and was not to be read */
	char *tag;          /* or NULL */
	struct outbox held; /* what was read of it ... */
	size_t ready;       /* ... to be shown now: whole lines, or a piece of a long one */
	long turn;          /* when it was shown last; files come before messages */
	long long at, end;  /* what was read; and of a file, its size when its job ended */
};

struct live {
	struct live *next;
	struct stream streams[2];
	int kept;           /* they are files */
	long id;            /* ... which are shown in this order */
	char *line;         /* for shown() */
	int ended, lost;    /* lost: not all was read, or written */
};

/* Where both, or one of them, goes. */
struct sink {
	int fd;
	int terminal;         /* progress.c may have drawn there */
	int whole;            /* it takes any size at once, or as much as it can */
	int broken;           /* it takes no more at all */
	struct outbox out;    /* a piece of one stream, with tags, to be written ... */
	struct stream *giver; /* ... which is this one; others wait */
	int inside;           /* ... also until its line ends */
	long turns;
};

/* One process has one standard output. */
static struct {
	struct sink sinks[2], *of[2]; /* both are the first if 1 and 2 are one file */
	struct live *first;           /* those with pipes, the messages, those with files */
	struct live *messages;        /* of ours: they never end */
	long turn;                    /* files of ids up to that are shown */
	struct news in;
	int error;                    /* errno of trouble since the last pump, or 0 */
	int (*shown)(void *, const char *);
	void *context;
} lines = {.in.epoll = -1};

static void
add_bytes(struct outbox *box, const char *text, size_t length)
{
	if (outbox_add(box, text, length) != 0)
		fail(STATUS_TROUBLE, "output of jobs:");
}

/* Appends text with the tag, or NULL, before each line. inside: the last line has still to end,
   before and after. */
static void
add_tagged(struct outbox *box, const char *tag, const char *text, size_t length, int *inside)
{
	const char *end = text + length, *stop;

	for (; text < end; text = stop) {
		stop = tag == NULL ? NULL : memchr(text, '\n', (size_t)(end - text));
		stop = stop == NULL ? end : stop + 1;
		if (tag != NULL && !*inside)
			add_bytes(box, tag, strlen(tag));
		add_bytes(box, text, (size_t)(stop - text));
		*inside = stop[-1] != '\n';
	}
}

static void
open_sink(struct sink *sink, int fd)
{
	struct stat st;
	int own;

	sink->fd = fd;
	sink->terminal = isatty(fd);
	if (fstat(fd, &st) != 0 || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return; /* a write(2) says so */
	own = descriptors_unblocked(fd);
	sink->fd = own >= 0 ? own : fd;
	sink->whole = own >= 0 || S_ISREG(st.st_mode);
}

/* Makes it there in the list. */
static struct live *
add_live(struct live **at, char *const tags[2])
{
	struct live *live = need_memory(malloc(sizeof *live));

	*live = (struct live){.next = *at};
	*at = live;
	for (int part = 0; part < 2; part++)
		live->streams[part] = (struct stream){.live = live, .sink = lines.of[part],
		    .fd = -1, .tag = tags[part]};
	return live;
}

int
lines_open(const int to[2], long first, int (*shown)(void *, const char *), void *context)
{
	struct stat one, other;

	lines.turn = first;
	lines.shown = shown;
	lines.context = context;
	if (lines.first != NULL)
		return 0; /* a test begins again */
	if (news_open(&lines.in) != 0)
		return -1;
	lines.of[0] = lines.of[1] = lines.sinks;
	open_sink(lines.of[0], to[0]);
	if (fstat(to[0], &one) != 0 || fstat(to[1], &other) != 0 ||
	    !descriptors_same(&one, &other))
		open_sink(++lines.of[1], to[1]);
	lines.messages = add_live(&lines.first, (char *const[2]){NULL, NULL});
	return 0;
}

int
lines_inside(void)
{
	for (const struct sink *sink = lines.sinks; sink < lines.sinks + 2; sink++)
		if (sink->terminal && (sink->inside || outbox_waits(&sink->out) > 0))
			return 1;
	return 0;
}

/* Nobody reads it, or it is full: jobs must not wait for that. */
static void
give_up(struct sink *sink)
{
	lines.error = errno;
	if (outbox_waits(&sink->out) > 0)
		sink->giver->live->lost = 1;
	outbox_drop(&sink->out);
	sink->broken = 1;
	sink->inside = 0;
}

static void
hold_bytes(struct stream *s, const char *text, size_t length)
{
	size_t n = length, held = outbox_waits(&s->held) + length;

	add_bytes(&s->held, text, length);
	while (n > 0 && text[n - 1] != '\n')
		n--;
	if (n > 0)
		s->ready = held - (length - n);
	if ((s->sink->inside && s->sink->giver == s) || held - s->ready > MOST_HELD)
		s->ready = held;
}

/* Nothing more is read of it. The last line may lack its newline, and gets one unless it is of a
   file that is shown as it is. */
static void
close_stream(struct stream *s)
{
	struct sink *sink = s->sink;
	size_t n = outbox_waits(&s->held);

	if (s->fd < 0)
		return;
	if (!s->live->kept)
		news_drop(&lines.in, &s->fd);
	descriptors_close(&s->fd);
	if (n > 0 ? outbox_bytes(&s->held)[n - 1] == '\n' : !sink->inside || sink->giver != s)
		return;
	if (!s->live->kept || s->tag != NULL || (sink->terminal && progress_make_way()))
		hold_bytes(s, "\n", 1);
	else if (n > 0)
		s->ready = n;
	else
		sink->inside = 0;
}

/* Reads once: 1; or 0 for nothing, now or for ever. */
static int
read_stream(struct stream *s)
{
	static char block[BLOCK];
	long long left = s->live->kept && s->end - s->at < BLOCK ? s->end - s->at : BLOCK;
	ssize_t n = s->live->kept ? pread(s->fd, block, (size_t)left, (off_t)s->at)
	    : read(s->fd, block, sizeof block);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0)
		give_up(s->sink);
	if (n <= 0) {
		s->live->lost |= n < 0;
		close_stream(s);
		return 0;
	}
	s->at += n;
	hold_bytes(s, block, (size_t)n);
	return 1;
}

/* Makes its pipe, whose *end is the job's: 0, or -1 with errno. */
static int
open_stream(struct stream *s, int *end)
{
	int ends[2];

	if (descriptors_pipe(ends, 0) != 0)
		return -1;
	s->fd = ends[0];
	s->watched = 1;
	*end = ends[1];
	if (lines.in.epoll >= 0 || s->fd < FD_SETSIZE)
		return news_add(&lines.in, s->fd, POLLIN);
	errno = EMFILE; /* for lines_fds() */
	return -1;
}

/* One pipe is enough, and keeps what is written to 1 and to 2 in its order, where both go to a
   terminal for which nobody has asked for lines. */
struct live *
lines_begin(int ends[2], char *const tags[2])
{
	struct live *live = add_live(&lines.first, tags);
	int one = lines.of[0] == lines.of[1] && lines.of[0]->terminal && tags[0] == NULL &&
	    progress_make_way();

	ends[0] = ends[1] = -1;
	if (open_stream(live->streams, &ends[0]) == 0 &&
	    (one || open_stream(live->streams + 1, &ends[1]) == 0)) {
		ends[1] = one ? ends[0] : ends[1];
		return live;
	}
	lines_cancel(live); /* keeps errno */
	return NULL;
}

void
lines_cancel(struct live *live)
{
	struct live **at = &lines.first;

	while (*at != live)
		at = &(*at)->next;
	*at = live->next;
	for (struct stream *s = live->streams; s < live->streams + 2; s++) {
		close_stream(s);
		outbox_drop(&s->held);
		free(s->tag);
	}
	free(live->line);
	free(live);
}

void
lines_keep(long id, const int files[2], char *const tags[2], char *line)
{
	struct live **at = &lines.messages->next, *live;
	struct stat st;

	while (*at != NULL && (*at)->id <= id)
		at = &(*at)->next;
	live = add_live(at, tags);
	live->id = id;
	live->line = line;
	live->kept = live->ended = 1;
	for (int part = 0; part < 2; part++) {
		struct stream *s = live->streams + part;

		s->fd = files[part];
		s->turn = -1;
		s->end = s->fd >= 0 && fstat(s->fd, &st) == 0 ? st.st_size : 0;
	}
}

/* 1 while there may be more of it to be shown. */
static int
is_open(const struct stream *s)
{
	return s->fd >= 0 || outbox_waits(&s->held) > 0 ||
	    (s->sink->giver == s && outbox_waits(&s->sink->out) > 0);
}

/* Reads on in a file whose turn it is; the errors of a job come after its output. 1 if there is
   something to be shown. */
static int
read_kept(struct stream *s)
{
	struct live *live = s->live;

	if (!live->kept || live != lines.messages->next || live->id > lines.turn ||
	    (s > live->streams && is_open(live->streams)))
		return 0;
	if (s->sink->broken) {
		live->lost |= s->at < s->end;
		s->end = s->at;
	}
	while (s->ready == 0 && s->fd >= 0 && read_stream(s))
		;
	return s->ready > 0;
}

/* Puts into its box what comes next: more of the stream that was within a line, or of the one that
   has waited longest. 0: there is nothing. */
static int
fill_sink(struct sink *sink)
{
	struct stream *next = NULL;
	size_t n;

	for (struct live *live = lines.first; live != NULL; live = live->next)
		for (struct stream *s = live->streams; s < live->streams + 2; s++)
			if (s->sink == sink && (!sink->inside || sink->giver == s) &&
			    (s->ready > 0 || read_kept(s)) &&
			    (next == NULL || s->turn < next->turn))
				next = s;
	if (next == NULL)
		return 0;
	n = next->ready < BLOCK ? next->ready : BLOCK;
	sink->giver = next;
	if (!next->live->kept)
		next->turn = ++sink->turns;
	if (!sink->broken)
		add_tagged(&sink->out, next->tag, outbox_bytes(&next->held), n, &sink->inside);
	next->live->lost |= sink->broken;
	next->ready -= n;
	outbox_take(&next->held, n);
	if (outbox_waits(&next->held) == 0) {
		outbox_drop(&next->held);
		sink->inside &= next->fd >= 0;
	}
	return 1;
}

/* Writes what the reader takes now. */
static void
serve_sink(struct sink *sink)
{
	size_t waits;

	for (int writes = 0;; writes++) {
		while (outbox_waits(&sink->out) == 0 && fill_sink(sink))
			;
		waits = outbox_waits(&sink->out);
		if (waits == 0 || writes == MOST_WRITES ||
		    (!sink->whole && !descriptors_poll(sink->fd, POLLOUT, 0)))
			return;
		if (sink->terminal)
			progress_make_way();
		if (outbox_write(&sink->out, sink->fd, sink->whole ? OUTBOX_ALL : OUTBOX_PIPE) != 0)
			give_up(sink);
		else if (outbox_waits(&sink->out) == waits)
			return;
	}
}

/* What is ready waits for its reader, and the job with it. But a job within a long line keeps
   others waiting, and must not wait for them, who may do the same elsewhere: its output to the
   other place is read and held, however much that is. */
static int
may_read(const struct stream *s)
{
	const struct stream *other = s->live->streams + (s == s->live->streams);

	return s->ready == 0 || (other->sink->inside && other->sink->giver == other);
}

/* Looks who may be read again, and tells of jobs that have ended and are shown, or lost. 1 if other
   files may have their turn. */
static int
look_at_all(void)
{
	struct live *next;
	int turns = 0;

	for (struct live *live = lines.first; live != NULL; live = next) {
		int waits = !live->ended || live->id > lines.turn;

		for (struct stream *s = live->streams; s < live->streams + 2; s++) {
			waits |= is_open(s);
			if (s->fd < 0 || live->kept || s->watched || !may_read(s))
				continue;
			s->watched = 1;
			if (news_add(&lines.in, s->fd, POLLIN) != 0)
				fail(STATUS_TROUBLE, "output of jobs:");
		}
		next = live->next;
		if (waits)
			continue;
		if (lines.shown(lines.context, live->lost ? NULL : live->line) != 0)
			lines.error = errno;
		turns |= live->kept;
		if (live->kept && lines.turn <= live->id)
			lines.turn = live->id + 1;
		lines_cancel(live);
	}
	return turns;
}

int
lines_pump(void)
{
	int fd;
	short events;

	if (lines.first == NULL)
		return 0;
	if (news_wait(&lines.in, 0) != 0)
		lines.error = errno;
	while (news_next(&lines.in, &fd, &events))
		for (struct live *live = lines.first; live != NULL; live = live->next)
			for (struct stream *s = live->streams; s < live->streams + 2; s++) {
				if (s->fd != fd)
					continue;
				s->watched = may_read(s);
				if (s->watched)
					read_stream(s);
				else
					news_forget(&lines.in, fd);
				serve_sink(s->sink);
			}
	do {
		serve_sink(lines.of[0]);
		serve_sink(lines.of[1]);
	} while (look_at_all());
	errno = lines.error;
	lines.error = 0;
	return errno != 0 ? -1 : 0;
}

long long
lines_drain(struct live *live)
{
	for (struct stream *s = live->streams; s < live->streams + 2; s++) {
		for (int i = 0; i < MOST_READS && s->fd >= 0 && read_stream(s); i++)
			;
		close_stream(s);
	}
	return live->streams[0].at;
}

void
lines_end(struct live *live, char *line)
{
	live->line = line;
	live->ended = 1;
}

int
lines_say(const char *text)
{
	const struct sink *sink = lines.of[1];

	if (sink->broken || (!sink->inside && outbox_waits(&sink->out) == 0))
		return -1;
	hold_bytes(lines.messages->streams + 1, text, strlen(text));
	return 0;
}

int
lines_fds(fd_set *in, fd_set *out)
{
	int highest = in == NULL ? -1 : news_fds(&lines.in, in);

	for (const struct sink *sink = lines.sinks; sink < lines.sinks + 2; sink++)
		if (outbox_waits(&sink->out) > 0) {
			FD_SET(sink->fd, out);
			highest = sink->fd > highest ? sink->fd : highest;
		}
	return highest;
}

int
lines_blocked(void)
{
	for (const struct sink *sink = lines.sinks; sink < lines.sinks + 2; sink++)
		if (outbox_waits(&sink->out) > 0)
			return sink->fd;
	return -1;
}

int
lines_due(void)
{
	const struct live *first = lines.first == NULL ? NULL : lines.messages->next;

	return (first != NULL && first->id <= lines.turn) || lines_blocked() >= 0;
}

void
lines_all(void)
{
	lines.turn = LONG_MAX;
}
