#include <sys/select.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/orders.h"
#include "../lib/status.h"
#include "subject.h"
#include "terminal.h"
#include "top.h"
#include "view.h"

enum {
	FRAME = 1000, /* ms between two frames */
	STEP = 20,    /* ms in which a dispenser has answered, as a rule */
	LOOK = 100,   /* ms between two looks whether it has, else */
	SLOW = 2000,  /* ms after which we say that it does not */
	LEAST = 500   /* ms between two frames, to tell a rate of them */
};

struct top {
	struct subject *subject;
	struct terminal terminal;
	sigset_t mask;           /* while we wait */
	long from;               /* the first row shown */
	int asking;              /* a frame is under way */
	long long asked, due;    /* since when; when the next one is (clock.h) */
	struct sheet shown;      /* the last one */
	struct glance glance;
	struct outbox out;       /* the rest of a frame, which the terminal did not take */
	long long granted, when; /* at an earlier frame */
	int quit;
};

static long
page(const struct top *top)
{
	int rows = top->terminal.screen.rows - VIEW_HEADER;

	return rows > 0 ? rows : 1;
}

/* In one write, as a rule: nothing flickers. Bytes that a terminal does not take now, such as when
   Ctrl-S has stopped it, go there later. */
static void
write_out(struct top *top)
{
	int fd = top->terminal.screen.fd;

	while (outbox_waits(&top->out) > 0 && descriptors_poll(fd, POLLOUT, 0) != 0)
		if (outbox_write(&top->out, fd, OUTBOX_ALL) != 0)
			fail(STATUS_TROUBLE, "standard output:");
	if (outbox_waits(&top->out) == 0)
		outbox_drop(&top->out);
}

static void
draw(struct top *top)
{
	if (!terminal_take(&top->terminal))
		return;
	write_out(top);
	if (outbox_waits(&top->out) > 0)
		return;
	screen_measure(&top->terminal.screen);
	view_draw(&top->out, &top->terminal.screen, &top->shown, &top->glance);
	if (top->out.lost)
		outbox_drop(&top->out);
	write_out(top);
}

/* Of two frames that are not too close. */
static void
take_rate(struct top *top, const struct sheet *sheet)
{
	long long granted, now = clock_now();

	if (sheet->count == 0 || sheet->list->kind != SHEET_POOL)
		return;
	granted = sheet_number(sheet->list, POOL_GRANTED);
	if (top->when != 0 && now - top->when < LEAST)
		return;
	if (top->when != 0) {
		top->glance.grants = granted - top->granted;
		top->glance.ms = now - top->when;
	}
	top->granted = granted;
	top->when = now;
}

/* The frame is there: the next one takes the room of the last. */
static void
show(struct top *top)
{
	struct sheet *sheet = &top->subject->survey.sheet, before = top->shown;

	top->asking = 0;
	top->due = clock_now() + FRAME;
	if (top->subject->over)
		return;
	top->glance.note = top->subject->trouble != 0 ? "not all can be read" : NULL;
	if (sheet->count > 0 || top->subject->trouble == 0) {
		sheet_window(sheet, top->from, page(top));
		top->from = sheet->from;
		commands_find(&top->subject->commands, sheet);
		take_rate(top, sheet);
		top->shown = *sheet;
		*sheet = before;
	}
	draw(top);
}

static void
ask(struct top *top)
{
	enum survey_state state = SURVEY_WAITS;

	if (!top->asking && clock_now() >= top->due) {
		screen_measure(&top->terminal.screen);
		state = subject_begin(top->subject, top->from, page(top));
		if (state == SURVEY_NOBODY && top->shown.count > 0)
			state = SURVEY_GONE;
		top->asking = 1;
		top->asked = clock_now();
	}
	if (!top->asking)
		return;
	if (state == SURVEY_WAITS)
		state = subject_step(top->subject, clock_now() + STEP);
	survey_check(top->subject->fifo, state);
	if (state == SURVEY_WHOLE)
		show(top);
	else if (top->glance.note == NULL && clock_now() - top->asked > SLOW) {
		top->glance.note = "does not answer";
		draw(top);
	}
}

/* As the system would: stops us, if there is a shell that lets us go on again. */
static void
suspend(struct top *top)
{
	struct sigaction ours, action = {.sa_handler = SIG_DFL};
	sigset_t one;

	orders_suspend = 0;
	terminal_leave(&top->terminal);
	sigemptyset(&action.sa_mask);
	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	sigaction(SIGTSTP, &action, &ours);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
	sigaction(SIGTSTP, &ours, NULL);
	draw(top);
}

static void
obey_signals(struct top *top)
{
	if (orders_suspend)
		suspend(top);
	if (orders_continued) {
		orders_continued = 0;
		terminal_lost(&top->terminal);
		draw(top);
	}
	if (orders_resized) {
		orders_resized = 0;
		draw(top);
		top->due = 0; /* there may be room for more */
	}
}

static void
scroll(struct top *top, long rows)
{
	long last = top->shown.rows - page(top), from = top->from + rows;

	from = from > last ? last : from;
	from = from < 0 ? 0 : from;
	if (from == top->from)
		return;
	top->from = from;
	top->due = 0;
}

static void
obey_keys(struct top *top)
{
	enum key key;

	while ((key = terminal_key(&top->terminal)) != KEY_NONE)
		switch (key) {
		case KEY_QUIT: top->quit = 1; break;
		case KEY_UP: scroll(top, -1); break;
		case KEY_DOWN: scroll(top, 1); break;
		case KEY_PAGE_UP: scroll(top, -page(top)); break;
		case KEY_PAGE_DOWN: scroll(top, page(top)); break;
		case KEY_TOP: scroll(top, -top->from); break;
		case KEY_END: scroll(top, top->shown.rows); break;
		case KEY_NONE: break;
		}
}

/* From the background nothing may be read. */
static void
wait_for_something(struct top *top)
{
	int fd = terminal_take(&top->terminal) ? top->terminal.keys : -1;
	long long wait = top->asking ? LOOK : clock_wait_ms(top->due);
	int rest = outbox_waits(&top->out) > 0 ? top->terminal.screen.fd : -1;
	struct timespec span = clock_span(wait);
	fd_set in, out;

	FD_ZERO(&in);
	FD_ZERO(&out);
	if (fd >= 0)
		FD_SET(fd, &in);
	if (rest >= 0)
		FD_SET(rest, &out);
	if (pselect((fd > rest ? fd : rest) + 1, &in, &out, NULL, &span, &top->mask) <= 0)
		return;
	if (rest >= 0 && FD_ISSET(rest, &out))
		write_out(top);
	if (fd >= 0 && FD_ISSET(fd, &in)) {
		terminal_read(&top->terminal);
		obey_keys(top);
	}
}

int
top_run(struct subject *subject)
{
	struct top top = {.subject = subject, .glance = {.fifo = subject->fifo, .ms = -1},
	    .shown.rows = -1};

	terminal_open(&top.terminal);
	orders_open(&top.mask);
	orders_hear_terminal();
	while (!top.quit && !subject->over && orders_end == 0 && orders_interrupts == 0) {
		ask(&top);
		if (!subject->over)
			wait_for_something(&top);
		obey_signals(&top);
	}
	survey_end(&subject->survey);
	terminal_leave(&top.terminal);
	outbox_drop(&top.out);
	if (subject->over && top.shown.count > 0)
		subject_say_end(subject);
	sheet_drop(&top.shown);
	orders_die();
	return STATUS_DONE;
}
