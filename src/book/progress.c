#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "book.h"

enum {
	REDRAW = 200, TICK = 1000,       /* ms: after an event, and without one */
	PLAIN = 1000, MOST_PLAIN = 60000, /* ms between two plain lines */
	GAP = 2,                         /* columns between two parts */
	NARROW = 8, BROAD = 40,          /* columns of the bar */
	LABEL = 16,                      /* columns */
	PART = 48                        /* bytes */
};

/* The parts of a line, from left to right. */
enum part { COUNT, BAR, PERCENT, FAILED, RUNNING, RATE, SPENT, LEFT, PARTS };

/* One process has one standard error. */
static struct {
	struct screen screen;
	struct outbox out;   /* what it has not taken yet */
	struct outbox rows;  /* of the jobs, which come below the line */
	struct outbox lines; /* of the board */
	int own;             /* the terminal, opened anew: it does not block; or -1 */
	int drawn;           /* lines on the terminal: these give way to each message */
	int told, more;      /* jobs that have a row, and others */
} sketch;

void
progress_open(struct progress *p, enum progress_kind kind, long total)
{
	*p = (struct progress){.kind = kind, .total = total, .began = clock_now(),
	    .epoch = clock_epoch(), .board.fd = -1};
	p->shown = p->began;
	sketch.own = -1;
	if (kind == PROGRESS_NONE)
		return;
	screen_open(&sketch.screen, STDERR_FILENO);
	if (!sketch.screen.moves)
		p->kind = PROGRESS_BAR;
	if (sketch.screen.there)
		sketch.own = descriptors_unblocked(STDERR_FILENO);
}

/* Without a terminal a night's log has no line for each second of it. */
static long long
redraw_ms(const struct progress *p, long long pause)
{
	long long plain = (p->shown - p->began) / 10;

	if (p->kind == PROGRESS_NONE)
		return -1;
	plain = plain < PLAIN ? PLAIN : plain > MOST_PLAIN ? MOST_PLAIN : plain;
	return clock_wait_ms(p->shown + (sketch.screen.there ? pause : plain));
}

long long
progress_wait_ms(const struct progress *p)
{
	return clock_sooner(board_wait_ms(&p->board),
	    sketch.screen.there ? redraw_ms(p, sketch.drawn > 0 ? TICK : REDRAW) : -1);
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
	if (p->board.fd < 0 && p->kind == PROGRESS_NONE)
		return 0;
	if (memcmp(&p->now, figures, sizeof *figures) != 0)
		p->board.stale = 1;
	p->now = *figures;
	if (redraw_ms(p, REDRAW) != 0 && board_wait_ms(&p->board) != 0)
		return 0;
	screen_measure(&sketch.screen);
	outbox_drop(&sketch.rows);
	outbox_drop(&sketch.lines);
	sketch.told = sketch.more = 0;
	outbox_say(&sketch.lines, "batch\t%ld\t%ld\t%ld\t%ld\t%ld\t%lld\n", p->slots,
	    figures->running, total(p), figures->done, figures->failed, p->epoch);
	return 1;
}

void
progress_resized(struct progress *p)
{
	if (sketch.screen.there)
		p->shown = 0;
}

/* The last column stays free: terminals differ in what they do there. */
static size_t
columns(void)
{
	return sketch.screen.columns > 1 ? (size_t)sketch.screen.columns - 1 : 1;
}

/* Adds a word of a row in its column: so many, and a gap. How many columns are left. */
static size_t
add_column(const char *text, size_t wide, size_t left)
{
	size_t used = outbox_printable(&sketch.rows, text, strlen(text), left < wide ? left : wide);

	for (; used < wide + GAP && used < left; used++)
		outbox_add(&sketch.rows, " ", 1);
	return left - used;
}

/* Two rows are left: for the bar, and for the count of those that have none. */
static void
add_row(const struct progress *p, const struct running_job *job)
{
	char number[24], time[HUMAN];
	size_t left = columns(), wide;

	if (sketch.told >= sketch.screen.rows - 2) {
		sketch.more++;
		return;
	}
	sketch.told++;
	wide = (size_t)snprintf(number, sizeof number, "%ld", p->slots);
	snprintf(number, sizeof number, "%*ld", (int)wide, job->slot);
	human_clock(time, clock_now() - job->began);
	outbox_say(&sketch.rows, "\n");
	left = add_column(number, wide, left);
	if (job->label != NULL && strcmp(job->label, number + strspn(number, " ")) != 0)
		left = add_column(job->label, LABEL, left);
	left = add_column(time, sizeof "0:00:00" - 1, left);
	if (job->command != NULL)
		outbox_printable(&sketch.rows, job->command, strlen(job->command), left);
}

void
progress_job(struct progress *p, const struct running_job *job)
{
	struct outbox *lines = &sketch.lines;

	outbox_say(lines, "run\t%ld\t%ld\t%ld\t%ld\t%lld\t", job->slot, job->id, job->tries,
	    (long)job->pid, p->epoch + job->began - p->began);
	board_text(lines, job->label != NULL ? job->label : "");
	outbox_add(lines, "\t", 1);
	board_text(lines, job->command != NULL ? job->command : "");
	outbox_add(lines, "\n", 1);
	if (p->kind == PROGRESS_STATUS && sketch.screen.there)
		add_row(p, job);
}

static void
compose_parts(const struct progress *p, char part[PARTS][PART])
{
	const struct figures *now = &p->now;
	long all = total(p);
	long long spent = clock_now() - p->began,
	    left = human_left_ms(spent, now->done, p->total - now->done);
	char text[HUMAN];

	snprintf(part[COUNT], PART, all < 0 ? "%ld done" : "%ld/%ld", now->done, all);
	if (all > 0)
		snprintf(part[PERCENT], PART, "%lld%%", 100LL * now->done / all);
	if (now->failed > 0)
		snprintf(part[FAILED], PART, "%ld failed", now->failed);
	if (now->running > 0)
		snprintf(part[RUNNING], PART, "%ld running", now->running);
	if (now->done > 0 && spent > 0) {
		human_rate(text, now->done, spent);
		snprintf(part[RATE], PART, "%s/s", text);
	}
	human_clock(part[SPENT], spent);
	if (left >= 0 && !p->ended) {
		human_clock(text, left);
		snprintf(part[LEFT], PART, "%s left", text);
	}
}

/* Where there is that much room for it. */
static void
add_bar(const struct progress *p, size_t room)
{
	static const char full[] = "========================================"; /* BROAD */
	int inner = (room < BROAD + GAP ? (int)room - GAP : BROAD) - 2, n;

	if (total(p) <= 0 || room < NARROW + GAP)
		return;
	n = (int)((long long)inner * p->now.done / p->total);
	outbox_say(&sketch.out, "  [%s%.*s%s%s%*s]", sketch.screen.coloured ? "\033[32m" : "", n,
	    full, n < inner ? ">" : "", sketch.screen.coloured ? "\033[m" : "",
	    inner - n - (n < inner), "");
}

/* Adds the line; for a terminal without what matters least, until the rest fits, and with a bar in
   what that leaves. */
static void
add_line(const struct progress *p)
{
	static const enum part least[] = {RATE, SPENT, RUNNING, PERCENT, LEFT, FAILED};
	const char *gap = sketch.screen.there ? "  " : ", ";
	char part[PARTS][PART] = {{'\0'}};
	size_t room = sketch.screen.there ? columns() : INT_MAX, wide = 0;

	compose_parts(p, part);
	for (int i = 0; i < PARTS; i++)
		if (*part[i] != '\0')
			wide += strlen(part[i]) + (i > COUNT ? GAP : 0);
	for (size_t i = 0; wide > room && i < sizeof least / sizeof *least; i++)
		if (*part[least[i]] != '\0') {
			wide -= strlen(part[least[i]]) + GAP;
			*part[least[i]] = '\0';
		}
	for (int i = 0; i < PARTS; i++) {
		int red = i == FAILED && sketch.screen.coloured;

		if (i == BAR && sketch.screen.there)
			add_bar(p, room > wide ? room - wide : 0);
		if (*part[i] != '\0')
			outbox_say(&sketch.out, "%s%s%.*s%s", i > COUNT ? gap : "",
			    red ? "\033[31m" : "", (int)room, part[i], red ? "\033[m" : "");
	}
}

static void
add_plain(const struct progress *p)
{
	outbox_say(&sketch.out, "%s: ", program);
	add_line(p);
	outbox_say(&sketch.out, "\n");
}

/* As many lines as we drew. A window that has become narrower may have broken one in two; but not
   all do so, and what stands above them is not ours. */
static void
add_clear(void)
{
	if (sketch.drawn == 0)
		return;
	if (!sketch.screen.moves)
		outbox_say(&sketch.out, "\r%*s\r", (int)columns(), "");
	else if (sketch.drawn > 1)
		outbox_say(&sketch.out, "\r\033[%dA\033[J", sketch.drawn - 1);
	else
		outbox_say(&sketch.out, "\r\033[J");
	sketch.drawn = 0;
}

/* A terminal that is stopped, by Ctrl-S, or that nobody reads stops no batch; nor does one that
   cannot be written. What it does not take now is to be written before anything else. */
static void
write_out(void)
{
	int fd = sketch.own >= 0 ? sketch.own : STDERR_FILENO;

	if ((sketch.own >= 0 || !sketch.screen.there || descriptors_poll(fd, POLLOUT, 0) != 0) &&
	    outbox_write(&sketch.out, fd, OUTBOX_ALL) != 0)
		outbox_drop(&sketch.out);
}

/* There the lines of a shell follow ours, which have moved: so they stay. */
static int
in_background(void)
{
	if (!sketch.screen.there || screen_is_foreground(sketch.screen.fd))
		return 0;
	sketch.drawn = 0;
	return 1;
}

void
progress_forget(void)
{
	sketch.drawn = 0;
}

int
progress_make_way(void)
{
	if (sketch.drawn > 0 && !in_background()) {
		screen_measure(&sketch.screen);
		add_clear();
		write_out();
	}
	return sketch.screen.there;
}

static void
draw(const struct progress *p)
{
	char more[PART];

	write_out();
	if (outbox_waits(&sketch.out) > 0)
		return;
	add_clear();
	add_line(p);
	outbox_add(&sketch.out, outbox_bytes(&sketch.rows), outbox_waits(&sketch.rows));
	if (sketch.more > 0) {
		snprintf(more, sizeof more, "and %d more", sketch.more);
		outbox_say(&sketch.out, "\n%.*s", (int)columns(), more);
	}
	sketch.drawn = 1 + sketch.told + (sketch.more > 0);
	write_out();
}

void
progress_show(struct progress *p, int inside)
{
	if (board_wait_ms(&p->board) == 0)
		board_write(&p->board, &sketch.lines);
	if (redraw_ms(p, REDRAW) != 0 || (inside && sketch.screen.there))
		return;
	if (!sketch.screen.there) {
		add_plain(p);
		write_out();
	} else if (!in_background()) {
		draw(p);
	}
	p->shown = clock_now();
}

void
progress_end(struct progress *p, const struct figures *figures)
{
	p->now = *figures;
	p->ended = 1;
	if (sketch.screen.there) {
		in_background();
		screen_measure(&sketch.screen);
		add_clear();
		add_line(p);
		outbox_say(&sketch.out, "\n");
	} else if (p->kind != PROGRESS_NONE)
		add_plain(p);
	write_out();
}

void
progress_close(struct progress *p)
{
	if (p->began == 0)
		return;
	board_close(&p->board);
	descriptors_close(&sketch.own);
	outbox_drop(&sketch.out);
	outbox_drop(&sketch.rows);
	outbox_drop(&sketch.lines);
}
