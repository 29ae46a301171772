#include <poll.h>
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
	PARTS = 7, PART = 48,
	GAP = 2,                         /* columns between two parts */
	NARROW = 8, BROAD = 40,          /* columns of the bar */
	LABEL = 16                       /* columns */
};

/* The parts of a line. */
struct part {
	char text[PART];
	int rank;   /* the one with the highest is left out first */
	int colour; /* of ECMA-48, or 0 */
};

struct parts {
	struct part part[PARTS];
	int count;
};

struct sketch {
	struct screen screen;
	struct outbox out;   /* what is drawn next */
	struct outbox rows;  /* ... and the jobs below it */
	struct outbox lines; /* of the board */
	int own;             /* the terminal, opened anew: it does not block; or -1 */
	int begun;           /* a part of "out" is there, and the rest must follow */
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
	*p = (struct progress){.kind = kind, .total = total, .began = clock_now(),
	    .epoch = clock_epoch(), .board.fd = -1};
	p->shown = p->began;
	if ((p->sketch = calloc(1, sizeof *p->sketch)) == NULL)
		p->kind = PROGRESS_NONE;
	if (p->sketch != NULL)
		p->sketch->own = -1;
	if (p->kind == PROGRESS_NONE)
		return;
	screen_open(&p->sketch->screen, STDERR_FILENO);
	p->sketch->own = p->sketch->screen.there ? descriptors_unblocked(STDERR_FILENO) : -1;
	if (!p->sketch->screen.moves)
		p->kind = PROGRESS_BAR;
	if (p->sketch->screen.there)
		drawn = p;
}

void
progress_announce(struct progress *p, const char *kind, pid_t beside, const char *path,
    const char *text)
{
	if (p->sketch == NULL)
		return;
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

static size_t
digits(long n)
{
	return (size_t)snprintf(NULL, 0, "%ld", n);
}

/* Two rows are left: for the bar, and for the count of those that have none. */
static void
tell_terminal(struct progress *p, const struct running_job *job)
{
	struct sketch *s = p->sketch;
	struct outbox *rows = &s->rows;
	char number[24], time[HUMAN];
	size_t left = columns(p);

	if (s->told >= s->screen.rows - 2) {
		s->more++;
		return;
	}
	s->told++;
	snprintf(number, sizeof number, "%*ld", (int)digits(p->slots), job->slot);
	human_clock(time, clock_now() - job->began);
	outbox_say(rows, "\n");
	left = add_column(rows, number, digits(p->slots), left);
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

static struct part *
add_part(struct parts *parts, int rank, int colour)
{
	struct part *part = &parts->part[parts->count++];

	part->rank = rank;
	part->colour = colour;
	return part;
}

/* From left to right. */
static void
compose(const struct progress *p, struct parts *parts)
{
	const struct figures *now = &p->now;
	long long spent = clock_now() - p->began,
	    left = human_left_ms(spent, now->done, p->total - now->done);
	char text[HUMAN];

	parts->count = 0;
	if (total(p) < 0)
		snprintf(add_part(parts, 0, 0)->text, PART, "%ld done", now->done);
	else
		snprintf(add_part(parts, 0, 0)->text, PART, "%ld/%ld", now->done, p->total);
	if (total(p) > 0)
		snprintf(add_part(parts, 3, 0)->text, PART, "%lld%%",
		    100LL * now->done / p->total);
	if (now->failed > 0)
		snprintf(add_part(parts, 1, 31)->text, PART, "%ld failed", now->failed);
	if (now->running > 0)
		snprintf(add_part(parts, 4, 0)->text, PART, "%ld running", now->running);
	if (now->done > 0 && spent > 0) {
		human_rate(text, now->done, spent);
		snprintf(add_part(parts, 6, 0)->text, PART, "%s/s", text);
	}
	human_clock(text, spent);
	snprintf(add_part(parts, 5, 0)->text, PART, "%s", text);
	if (left >= 0 && !p->ended) {
		human_clock(text, left);
		snprintf(add_part(parts, 2, 0)->text, PART, "%s left", text);
	}
}

static size_t
width(const struct parts *parts)
{
	size_t n = 0;

	for (int i = 0; i < parts->count; i++)
		n += strlen(parts->part[i].text) + (i > 0 ? GAP : 0);
	return n;
}

/* Leaves out the least important ones, until the others fit. */
static void
fit(struct parts *parts, size_t room)
{
	int least;

	while (parts->count > 1 && width(parts) > room) {
		least = 0;
		for (int i = 0; i < parts->count; i++)
			if (parts->part[i].rank > parts->part[least].rank)
				least = i;
		parts->count--;
		memmove(parts->part + least, parts->part + least + 1,
		    (size_t)(parts->count - least) * sizeof *parts->part);
	}
}

static void
add_coloured(struct progress *p, const char *text, size_t length, size_t room, int colour)
{
	struct sketch *s = p->sketch;
	int on = colour != 0 && s->screen.coloured;

	if (on)
		outbox_say(&s->out, "\033[%dm", colour);
	outbox_printable(&s->out, text, length, room);
	if (on)
		outbox_say(&s->out, "\033[m");
}

/* In what the other parts leave, with its gap. */
static void
add_bar(struct progress *p, size_t room)
{
	struct sketch *s = p->sketch;
	char bar[BROAD];
	size_t inner = (room < BROAD + GAP ? room - GAP : BROAD) - 2, full;

	full = (size_t)((long long)inner * p->now.done / p->total);
	full = full > inner ? inner : full;
	memset(bar, '=', full);
	if (full < inner)
		bar[full] = '>';
	outbox_say(&s->out, "  [");
	add_coloured(p, bar, full < inner ? full + 1 : full, inner, 32);
	outbox_say(&s->out, "%*s]", (int)(inner - full - (full < inner)), "");
}

/* The line for a terminal, so many columns wide. */
static void
add_line(struct progress *p, size_t room)
{
	struct parts parts;
	size_t used;

	compose(p, &parts);
	fit(&parts, room);
	used = width(&parts);
	for (int i = 0; i < parts.count; i++) {
		if (i > 0)
			outbox_say(&p->sketch->out, "%*s", GAP, "");
		add_coloured(p, parts.part[i].text, strlen(parts.part[i].text), room,
		    parts.part[i].colour);
		if (i == 0 && total(p) > 0 && room - used >= NARROW + GAP && room > used)
			add_bar(p, room - used);
	}
}

static void
add_plain(struct progress *p)
{
	struct sketch *s = p->sketch;
	struct parts parts;

	compose(p, &parts);
	outbox_say(&s->out, "%s: ", program);
	for (int i = 0; i < parts.count; i++)
		outbox_say(&s->out, "%s%s", i > 0 ? ", " : "", parts.part[i].text);
	outbox_say(&s->out, "\n");
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
   cannot be written. 1 when it was written, or its rest is going to be; else 0. */
static int
write_out(struct progress *p)
{
	struct sketch *s = p->sketch;
	size_t all = outbox_waits(&s->out);
	int fd = s->own >= 0 ? s->own : STDERR_FILENO, bad = 0;

	if (!s->screen.there || descriptors_poll(fd, POLLOUT, 0) != 0)
		bad = outbox_write(&s->out, fd, OUTBOX_ALL);
	if (bad != 0 || (!s->begun && outbox_waits(&s->out) == all)) {
		outbox_drop(&s->out);
		s->begun = 0;
		return 0;
	}
	s->begun = outbox_waits(&s->out) > 0;
	if (!s->begun)
		outbox_drop(&s->out);
	return 1;
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

	if (p->sketch == NULL || s->drawn == 0 || in_background(s))
		return;
	screen_measure(&s->screen);
	add_clear(p);
	write_out(p);
}

static void
draw(struct progress *p)
{
	struct sketch *s = p->sketch;
	int before = s->drawn, lines = 1 + s->told + (s->more > 0);
	char rest[PART];

	if (s->begun)
		write_out(p);
	if (s->begun)
		return;
	add_clear(p);
	add_line(p, columns(p));
	outbox_add(&s->out, outbox_bytes(&s->rows), outbox_waits(&s->rows));
	if (s->more > 0) {
		snprintf(rest, sizeof rest, "and %d more", s->more);
		outbox_say(&s->out, "\n%.*s", (int)columns(p), rest);
	}
	s->drawn = write_out(p) ? lines : before;
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
		write_out(p);
	} else if (!in_background(s)) {
		draw(p);
	}
	p->shown = clock_now();
}

void
progress_end(struct progress *p, const struct figures *figures)
{
	struct sketch *s = p->sketch;

	if (p->sketch == NULL)
		return;
	p->now = *figures;
	p->ended = 1;
	if (draws(p)) {
		in_background(s);
		screen_measure(&s->screen);
		add_clear(p);
		add_line(p, columns(p));
		outbox_say(&s->out, "\n");
	} else if (p->kind != PROGRESS_NONE)
		add_plain(p);
	write_out(p);
	drawn = NULL;
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
	free(p->sketch);
	p->sketch = NULL;
}
