#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../display/human.h"
#include "../display/screen.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/outbox.h"
#include "progress.h"

enum {
	REDRAW = 200, TICK = 1000,       /* ms: after an event, and without one */
	PLAIN = 1000, MOST_PLAIN = 60000, /* ms between two plain lines */
	GAP = 2,                         /* columns between two parts */
	NARROW = 8, BROAD = 40,          /* columns of the bar */
	LABEL = 16,                      /* columns */
	PART = 48                        /* bytes */
};

/* The parts of a line, by how much they matter. */
enum rank { COUNT, FAILED, LEFT, PERCENT, RUNNING, SPENT, RATE };

/* A line of the progress, from left to right. */
struct line {
	struct outbox *out;
	const char *gap;   /* between two parts */
	int coloured;
	enum rank last;    /* the parts after that are left out */
	size_t columns, room;
};

struct sketch {
	struct screen screen;
	struct outbox out;   /* what the terminal has not taken yet */
	struct outbox rows;  /* ... and the jobs below it */
	struct outbox lines; /* of the board */
	int own;             /* the terminal, opened anew: it does not block; or -1 */
	int drawn;           /* lines on the terminal */
	int told, more;      /* jobs that have a line, and others */
};

/* One process has one standard error: what is drawn there gives way to each message. */
static struct progress *drawn;

int
progress_make_way(void)
{
	if (drawn != NULL)
		progress_clear(drawn);
	return drawn != NULL;
}

void
progress_open(struct progress *p, enum progress_kind kind, long total)
{
	struct sketch *s = need_memory(calloc(1, sizeof *s));

	*p = (struct progress){.kind = kind, .total = total, .began = clock_now(),
	    .epoch = clock_epoch(), .board.fd = -1, .sketch = s};
	p->shown = p->began;
	s->own = -1;
	if (kind == PROGRESS_NONE)
		return;
	screen_open(&s->screen, STDERR_FILENO);
	if (!s->screen.moves)
		p->kind = PROGRESS_BAR;
	if (s->screen.there) {
		s->own = descriptors_unblocked(STDERR_FILENO);
		drawn = p;
	}
}

void
progress_announce(struct progress *p, const char *kind, pid_t beside, const char *path,
    const char *text)
{
	board_open(&p->board, kind, beside, path, text);
	p->board.stale = 1;
}

static int
draws(const struct progress *p)
{
	return p->kind != PROGRESS_NONE && p->sketch->screen.there;
}

/* Without a terminal a night's log has no line for each second of it. */
static long long
redraw_ms(const struct progress *p, long long pause)
{
	long long plain = (p->shown - p->began) / 10;

	if (p->kind == PROGRESS_NONE)
		return -1;
	plain = plain < PLAIN ? PLAIN : plain > MOST_PLAIN ? MOST_PLAIN : plain;
	return clock_wait_ms(p->shown + (p->sketch->screen.there ? pause : plain));
}

long long
progress_wait_ms(const struct progress *p)
{
	return clock_sooner(board_wait_ms(&p->board),
	    draws(p) ? redraw_ms(p, p->sketch->drawn > 0 ? TICK : REDRAW) : -1);
}

/* How many jobs there are, or -1; whoever said so was wrong when more are over. */
static long
total(const struct progress *p)
{
	return p->now.done > p->total ? -1 : p->total;
}

int
progress_take(struct progress *p, const struct figures *figures)
{
	struct sketch *s = p->sketch;

	if (p->board.fd < 0 && p->kind == PROGRESS_NONE)
		return 0;
	if (memcmp(&p->now, figures, sizeof *figures) != 0)
		p->board.stale = 1;
	p->now = *figures;
	if (redraw_ms(p, REDRAW) != 0 && board_wait_ms(&p->board) != 0)
		return 0;
	screen_measure(&s->screen);
	outbox_drop(&s->rows);
	outbox_drop(&s->lines);
	s->told = s->more = 0;
	outbox_say(&s->lines, "batch\t%ld\t%ld\t%ld\t%ld\t%ld\t%lld\n", p->slots, figures->running,
	    total(p), figures->done, figures->failed, p->epoch);
	return 1;
}

void
progress_resized(struct progress *p)
{
	if (draws(p))
		p->shown = 0;
}

/* The last column stays free: terminals differ in what they do there. */
static size_t
columns(const struct progress *p)
{
	const struct sketch *s = p->sketch;

	return s->screen.columns > 1 ? (size_t)s->screen.columns - 1 : 1;
}

/* Adds a word in its column: so many, and a gap. How many columns are left. */
static size_t
add_column(struct outbox *out, const char *text, size_t wide, size_t left)
{
	size_t used = outbox_printable(out, text, strlen(text), left < wide ? left : wide);

	for (; used < wide + GAP && used < left; used++)
		outbox_add(out, " ", 1);
	return left - used;
}

/* Two rows are left: for the bar, and for the count of those that have none. */
static void
tell_terminal(struct progress *p, const struct running_job *job)
{
	struct sketch *s = p->sketch;
	struct outbox *rows = &s->rows;
	char number[24], time[HUMAN];
	size_t left = columns(p), wide;

	if (s->told >= s->screen.rows - 2) {
		s->more++;
		return;
	}
	s->told++;
	wide = (size_t)snprintf(number, sizeof number, "%ld", p->slots);
	snprintf(number, sizeof number, "%*ld", (int)wide, job->slot);
	human_clock(time, clock_now() - job->began);
	outbox_say(rows, "\n");
	left = add_column(rows, number, wide, left);
	if (job->label != NULL && strcmp(job->label, number + strspn(number, " ")) != 0)
		left = add_column(rows, job->label, LABEL, left);
	left = add_column(rows, time, sizeof "0:00:00" - 1, left);
	if (job->command != NULL)
		outbox_printable(rows, job->command, strlen(job->command), left);
}

void
progress_job(struct progress *p, const struct running_job *job)
{
	struct outbox *lines = &p->sketch->lines;

	outbox_say(lines, "run\t%ld\t%ld\t%ld\t%ld\t%lld\t", job->slot, job->id, job->tries,
	    (long)job->pid, p->epoch + job->began - p->began);
	board_text(lines, job->label != NULL ? job->label : "");
	outbox_add(lines, "\t", 1);
	board_text(lines, job->command != NULL ? job->command : "");
	outbox_add(lines, "\n", 1);
	if (p->kind == PROGRESS_STATUS && draws(p))
		tell_terminal(p, job);
}

/* Adds text in that colour of ECMA-48, or none with 0. */
static void
add_text(struct line *line, int colour, const char *text)
{
	int on = colour != 0 && line->coloured;

	if (on)
		outbox_say(line->out, "\033[%dm", colour);
	line->columns += outbox_printable(line->out, text, strlen(text),
	    line->room - line->columns);
	if (on)
		outbox_say(line->out, "\033[m");
}

static void
add_part(struct line *line, enum rank rank, int colour, const char *format, ...)
{
	char text[PART];
	va_list args;

	if (rank > line->last)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (line->columns > 0)
		add_text(line, 0, line->gap);
	add_text(line, colour, text);
}

/* So many columns wide, with its brackets. */
static void
add_bar(const struct progress *p, struct line *line, size_t wide)
{
	char bar[BROAD + 1], rest[BROAD + 2];
	size_t inner = wide - 2, full = (size_t)((long long)inner * p->now.done / p->total);

	full = full > inner ? inner : full;
	memset(bar, '=', full);
	if (full < inner)
		bar[full++] = '>';
	bar[full] = '\0';
	snprintf(rest, sizeof rest, "%*s]", (int)(inner - full), "");
	add_text(line, 0, line->gap);
	add_text(line, 0, "[");
	add_text(line, 32, bar);
	add_text(line, 0, rest);
}

static void
compose_frame(const struct progress *p, struct line *line, size_t bar)
{
	const struct figures *now = &p->now;
	long long spent = clock_now() - p->began,
	    left = human_left_ms(spent, now->done, p->total - now->done);
	char text[HUMAN];

	if (total(p) < 0)
		add_part(line, COUNT, 0, "%ld done", now->done);
	else
		add_part(line, COUNT, 0, "%ld/%ld", now->done, p->total);
	if (bar > 0)
		add_bar(p, line, bar);
	if (total(p) > 0)
		add_part(line, PERCENT, 0, "%lld%%", 100LL * now->done / p->total);
	if (now->failed > 0)
		add_part(line, FAILED, 31, "%ld failed", now->failed);
	if (now->running > 0)
		add_part(line, RUNNING, 0, "%ld running", now->running);
	if (now->done > 0 && spent > 0) {
		human_rate(text, now->done, spent);
		add_part(line, RATE, 0, "%s/s", text);
	}
	human_clock(text, spent);
	add_part(line, SPENT, 0, "%s", text);
	if (left >= 0 && !p->ended) {
		human_clock(text, left);
		add_part(line, LEFT, 0, "%s left", text);
	}
}

/* The line for a terminal: without what matters least, until the rest fits, with a bar in what that
   leaves. */
static void
add_line(struct progress *p)
{
	struct sketch *s = p->sketch;
	size_t room = columns(p), bar = 0;
	struct outbox trial = {0};
	struct line line;
	int last = RATE;

	for (;; last--) {
		line = (struct line){&trial, "  ", 0, (enum rank)last, 0, SIZE_MAX};
		compose_frame(p, &line, 0);
		if (last == COUNT || line.columns <= room)
			break;
	}
	outbox_drop(&trial);
	if (total(p) > 0 && room >= line.columns + NARROW + GAP)
		bar = room - line.columns - GAP < BROAD ? room - line.columns - GAP : BROAD;
	line = (struct line){&s->out, "  ", s->screen.coloured, (enum rank)last, 0, room};
	compose_frame(p, &line, bar);
}

static void
add_plain(struct progress *p)
{
	struct line line = {&p->sketch->out, ", ", 0, RATE, 0, SIZE_MAX};

	outbox_say(line.out, "%s: ", program);
	compose_frame(p, &line, 0);
	outbox_say(line.out, "\n");
}

/* As many lines as we drew. A window that has become narrower may have broken one in two; but not
   all do so, and what stands above them is not ours. */
static void
add_clear(struct progress *p)
{
	struct sketch *s = p->sketch;

	if (s->drawn == 0)
		return;
	if (!s->screen.moves)
		outbox_say(&s->out, "\r%*s\r", (int)columns(p), "");
	else if (s->drawn > 1)
		outbox_say(&s->out, "\r\033[%dA\033[J", s->drawn - 1);
	else
		outbox_say(&s->out, "\r\033[J");
	s->drawn = 0;
}

/* A terminal that is stopped, by Ctrl-S, or that nobody reads stops no batch; nor does one that
   cannot be written. What it does not take now is to be written before anything else. */
static void
write_out(struct sketch *s)
{
	int fd = s->own >= 0 ? s->own : STDERR_FILENO;

	if ((s->own >= 0 || !s->screen.there || descriptors_poll(fd, POLLOUT, 0) != 0) &&
	    outbox_write(&s->out, fd, OUTBOX_ALL) != 0)
		outbox_drop(&s->out);
}

/* There the lines of a shell follow ours, which have moved: so they stay. */
static int
in_background(struct sketch *s)
{
	if (!s->screen.there || screen_is_foreground(s->screen.fd))
		return 0;
	s->drawn = 0;
	return 1;
}

void
progress_forget(struct progress *p)
{
	if (p->sketch != NULL)
		p->sketch->drawn = 0;
}

void
progress_clear(struct progress *p)
{
	struct sketch *s = p->sketch;

	if (s->drawn == 0 || in_background(s))
		return;
	screen_measure(&s->screen);
	add_clear(p);
	write_out(s);
}

static void
draw(struct progress *p)
{
	struct sketch *s = p->sketch;
	struct line more = {&s->out, "", 0, RATE, 0, columns(p)};

	write_out(s);
	if (outbox_waits(&s->out) > 0)
		return;
	add_clear(p);
	add_line(p);
	outbox_add(&s->out, outbox_bytes(&s->rows), outbox_waits(&s->rows));
	if (s->more > 0) {
		outbox_say(&s->out, "\n");
		add_part(&more, COUNT, 0, "and %d more", s->more);
	}
	s->drawn = 1 + s->told + (s->more > 0);
	write_out(s);
}

void
progress_show(struct progress *p, int inside)
{
	struct sketch *s = p->sketch;

	if (board_wait_ms(&p->board) == 0)
		board_write(&p->board, &s->lines);
	if (redraw_ms(p, REDRAW) != 0 || (inside && s->screen.there))
		return;
	if (!s->screen.there) {
		add_plain(p);
		write_out(s);
	} else if (!in_background(s)) {
		draw(p);
	}
	p->shown = clock_now();
}

void
progress_end(struct progress *p, const struct figures *figures)
{
	struct sketch *s = p->sketch;

	p->now = *figures;
	p->ended = 1;
	drawn = NULL;
	if (draws(p)) {
		in_background(s);
		screen_measure(&s->screen);
		add_clear(p);
		add_line(p);
		outbox_say(&s->out, "\n");
	} else if (p->kind != PROGRESS_NONE)
		add_plain(p);
	write_out(s);
}

void
progress_close(struct progress *p)
{
	struct sketch *s = p->sketch;

	if (s == NULL)
		return;
	board_close(&p->board);
	descriptors_close(&s->own);
	outbox_drop(&s->out);
	outbox_drop(&s->rows);
	outbox_drop(&s->lines);
	free(s);
	p->sketch = NULL;
}
