#include <sys/select.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../book/joblog.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/orders.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "../tools/inlet.h"
#include "record.h"
#include "subject.h"

enum {
	PAUSE = 100, /* ms between two looks */
	SPARE_ROWS = 16, MOST_ROWS = 10000 /* of a window: tokend takes no more */
};

/* All that tells one holding from the next on that slot. */
struct state {
	long long slot;
	long long pid;       /* of a pool's holder; 0: not known */
	long long job;       /* of a batch, with its try; or 0 */
	long long age;       /* in ms, at the last look */
};

/* A slot that somebody has. */
struct holding {
	struct state state;
	long long began;     /* clock.h */
	struct timespec start;
	char *host, *command;
	int seen;            /* at this look */
};

struct record {
	struct subject *subject;
	struct joblog log;
	sigset_t mask;          /* while we wait */
	struct holding *list;
	size_t count, room;
	long long sent, came;   /* the last look was between these (clock.h) */
	long long before_sent, before_came; /* and the one before */
	long long granted, last; /* by the dispenser, at the first look and at the last */
	long long grants;       /* of them we have seen so many */
	long written;
	long rows;              /* that we ask for; -1: all */
};

/* 1 for a line of somebody who has a slot. */
static int
read_state(struct state *state, const struct line *line)
{
	if (line->kind == SHEET_SLOT && strcmp(line->field[SLOT_STATE], "out") == 0)
		*state = (struct state){.slot = sheet_number(line, SLOT_NUMBER),
		    .pid = sheet_number(line, SLOT_PID), .age = sheet_ms(line, SLOT_SECONDS)};
	else if (line->kind == SHEET_RUN)
		*state = (struct state){.slot = sheet_number(line, RUN_SLOT),
		    .job = sheet_number(line, RUN_JOB) * 1000 + sheet_number(line, RUN_TRY),
		    .age = sheet_ms(line, RUN_SECONDS)};
	else
		return 0;
	return 1;
}

/* One that began after the last look is younger than that. Of a job the number tells; of who is not
   known nothing does. */
static int
is_same(const struct record *r, const struct state *before, const struct state *now)
{
	if (before->slot != now->slot || before->pid != now->pid || before->job != now->job)
		return 0;
	return now->job != 0 || now->pid == 0 ||
	    now->age - before->age >= r->sent - r->before_came - 1;
}

/* On one line, without what a terminal would obey. */
static char *
plain(const char *text)
{
	struct outbox box = {0};

	sheet_plain(&box, text, SHEET_ENDLESS);
	outbox_text(&box);
	return outbox_whole(&box);
}

/* The label of its slot, or the number. */
static char *
host_of(const struct line *line)
{
	const char *label = line->field[line->kind == SHEET_RUN ? RUN_LABEL : SLOT_LABEL];

	return plain(*label != '\0' ? label : line->field[0]);
}

/* Further tokens of a build have the age of its first one: they were taken since the last look, at
   the earliest. */
static long long
age(const struct record *r, const struct state *state)
{
	long long most = r->came - r->before_sent;

	return r->before_sent != 0 && state->age > most && state->job == 0 ? 0 : state->age;
}

static struct holding *
begin(struct record *r, const struct state *state, const struct line *line)
{
	struct holding *h;
	long long ms = age(r, state);

	r->list = need_memory(room_for(r->list, &r->room, r->count + 1, sizeof *h));
	h = r->list + r->count++;
	*h = (struct holding){.state = *state, .began = r->came - ms, .host = host_of(line)};
	clock_gettime(CLOCK_REALTIME, &h->start);
	ms += clock_now() - r->came;
	h->start.tv_sec -= (time_t)(ms / 1000);
	if ((h->start.tv_nsec -= (long)(ms % 1000) * 1000000) < 0) {
		h->start.tv_sec--;
		h->start.tv_nsec += 1000000000;
	}
	return h;
}

/* It has ended between the last two looks, or is cut off now: at that time. */
static void
finish(struct record *r, struct holding *h, long long when)
{
	struct end end = {.id = ++r->written, .host = h->host, .start = h->start,
	    .ms = when > h->began ? when - h->began : 0};
	char *text = joblog_text(&r->log, &end, h->command != NULL ? h->command : "");

	if (text != NULL)
		joblog_write(&r->log, text);
	if (r->log.failed)
		exit(STATUS_TROUBLE);
	free(text);
	free(h->host);
	free(h->command);
	*h = r->list[--r->count];
}

/* Several slots that one request got have the same age. */
static int
is_new_grant(const struct record *r, size_t first, const struct state *state)
{
	for (size_t i = first; i < r->count; i++)
		if (state->pid != 0 && r->list[i].state.pid == state->pid &&
		    r->list[i].state.age == state->age)
			return 0;
	return r->before_sent != 0 && (state->pid == 0 ||
	    state->age <= r->came - r->before_sent);
}

static struct holding *
find(struct record *r, const struct state *state)
{
	for (size_t i = 0; i < r->count; i++)
		if (is_same(r, &r->list[i].state, state))
			return r->list + i;
	return NULL;
}

static void
take_command(struct holding *h, const struct line *line)
{
	if (line->command == NULL)
		return;
	free(h->command);
	h->command = plain(line->command);
}

/* How many lines are of slots that somebody has: the others need not be looked up. */
static long
count_held(const struct sheet *sheet)
{
	struct state state;
	long n = 0;

	for (size_t i = 0; i < sheet->count; i++)
		n += read_state(&state, sheet->list + i);
	return n;
}

/* By the state now: holdings go on, begin and end. */
static void
compare(struct record *r, struct sheet *sheet)
{
	size_t known = r->count;
	struct holding *h;
	struct state state;

	for (size_t i = 0; i < r->count; i++)
		r->list[i].seen = 0;
	for (size_t i = 0; i < sheet->count; i++) {
		if (!read_state(&state, sheet->list + i))
			continue;
		if ((h = find(r, &state)) == NULL) {
			r->grants += is_new_grant(r, known, &state);
			h = begin(r, &state, sheet->list + i);
		}
		h->state.age = state.age;
		h->seen = 1;
		take_command(h, sheet->list + i);
	}
	for (size_t i = r->count; i-- > 0;)
		if (!r->list[i].seen)
			finish(r, r->list + i, r->before_came + (r->sent - r->before_came) / 2);
}

/* As many rows as there are slots are enough: those that are out come first. */
static void
choose_rows(struct record *r, const struct line *pool)
{
	long long tokens = sheet_number(pool, POOL_TOKENS), out = sheet_number(pool, POOL_OUT);

	tokens = tokens > out ? tokens : out;
	r->rows = tokens > MOST_ROWS - SPARE_ROWS ? -1 : (long)tokens + SPARE_ROWS;
}

/* 1; or 0 when more slots are out than there are rows. */
static int
take(struct record *r)
{
	struct sheet *sheet = &r->subject->survey.sheet;
	long rows = r->rows;

	if (sheet->count == 0)
		return 1;
	if (sheet->list->kind == SHEET_POOL) {
		choose_rows(r, sheet->list);
		if (rows >= 0 && sheet_number(sheet->list, POOL_OUT) > rows)
			return 0;
		r->last = sheet_number(sheet->list, POOL_GRANTED);
		if (r->before_sent == 0)
			r->granted = r->last;
	}
	sheet->rows = -1;
	sheet_window(sheet, 0, count_held(sheet));
	commands_find(&r->subject->commands, sheet);
	compare(r, sheet);
	r->before_sent = r->sent;
	r->before_came = r->came;
	return 1;
}

static void
rest(const struct record *r, long long ms)
{
	struct timespec span = clock_span(ms);

	pselect(0, NULL, NULL, NULL, &span, &r->mask);
}

static int
is_over(const struct record *r)
{
	return orders_end != 0 || orders_interrupts != 0 || r->subject->over;
}

/* A look: SURVEY_WAITS when a signal came before the answer. Only for the first one a dispenser may
   not take its time. */
static enum survey_state
look(struct record *r)
{
	enum survey_state state;
	long long soon = inlet_soon();

	r->sent = clock_now();
	state = subject_begin(r->subject, 0, r->rows);
	while (state == SURVEY_WAITS && !is_over(r)) {
		state = subject_step(r->subject, clock_now() + PAUSE);
		if (state == SURVEY_WAITS)
			rest(r, 0);
		if (state == SURVEY_WAITS && r->before_sent == 0 && clock_now() >= soon)
			state = SURVEY_LATE;
	}
	r->came = clock_now();
	return state == SURVEY_WHOLE && !take(r) ? look(r) : state;
}

/* Holdings that were too short to be seen. */
static void
say_missed(const struct record *r)
{
	long long missed = r->last - r->granted - r->grants;

	if (r->subject->kind == SUBJECT_POOL)
		complain("%ld holdings written; %lld grants were too short to be seen", r->written,
		    missed > 0 ? missed : 0);
	else
		complain("%ld jobs written", r->written);
}

int
record_run(struct subject *subject, const char *file)
{
	struct record r = {.subject = subject, .rows = SPARE_ROWS};
	enum survey_state state;

	orders_open(&r.mask);
	subject->survey.builds = 0;
	state = look(&r);
	survey_check(subject->fifo, state); /* before a log that is there is emptied */
	r.log.option = "--record";
	if (joblog_open(&r.log, file, 0, 0) != 0)
		return STATUS_TROUBLE;
	while (!is_over(&r) && state == SURVEY_WHOLE) {
		rest(&r, clock_wait_ms(r.sent + PAUSE));
		if (!is_over(&r))
			state = look(&r);
	}
	while (r.count > 0)
		finish(&r, r.list + r.count - 1, is_over(&r) ? clock_now() : r.came);
	free(r.list);
	say_missed(&r);
	return joblog_close(&r.log) == 0 ? STATUS_DONE : STATUS_TROUBLE;
}
