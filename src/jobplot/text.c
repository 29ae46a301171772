#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobplot.h"

#define ENOUGH 1.05 /* times the longest job is as good as that */

enum { LISTED = 10 /* jobs of a list */, LEAST_ROOM = 8 /* columns of a command */ };

/* The slowest first. */
static int
by_time(const void *left, const void *right)
{
	const struct job *a = *(struct job *const *)left, *b = *(struct job *const *)right;
	long long at = a->end - a->start, bt = b->end - b->start;

	return at != bt ? (at < bt) - (at > bt) : job_by_line(left, right);
}

/* Where it has no room, and all commands begin with the same words, its end is shown. */
static void
add_command(struct outbox *out, const struct plot *plot, const struct job *job, size_t room)
{
	const char *text = job->command;
	size_t length = job->length;

	if (length > room && plot->prefix > 0) {
		outbox_say(out, "...");
		room -= 3;
		text += plot->prefix;
		length -= plot->prefix + plot->suffix;
		while (length > room || (length > 0 && ((unsigned char)*text & 0xc0) == 0x80)) {
			text++;
			length--;
		}
	}
	outbox_printable(out, text, length, room);
}

static void
list(struct outbox *out, const struct plot *plot, struct job **job, size_t count, size_t columns)
{
	char time[HUMAN], how[HUMAN];
	size_t before, used;

	for (size_t i = 0; i < count && i < LISTED; i++) {
		time_text(time, (double)(job[i]->end - job[i]->start));
		ending_text(how, job[i]);
		before = outbox_waits(out);
		outbox_say(out, "%7ld %10s  %-8s  ", job[i]->seq, time, how);
		used = outbox_waits(out) - before;
		add_command(out, plot, job[i], columns == 0 ? SIZE_MAX : columns < used + LEAST_ROOM
		    ? LEAST_ROOM : columns - used);
		outbox_say(out, "\n");
	}
}

static void
lists(struct outbox *out, const struct plot *plot, struct job **job, size_t columns)
{
	size_t failed = 0;
	char half[HUMAN], most[HUMAN];

	for (size_t i = 0; i < plot->count; i++)
		if (plot->job[i]->result != RESULT_OK)
			job[failed++] = plot->job[i];
	qsort(job, failed, sizeof *job, job_by_line);
	if (failed > 0) {
		outbox_say(out, "\nFailed, in the order of the log:\n");
		list(out, plot, job, failed, columns);
	}
	if (failed > LISTED)
		outbox_say(out, "        and %zu more\n", failed - LISTED);
	memcpy(job, plot->job, plot->count * sizeof *job);
	qsort(job, plot->count, sizeof *job, by_time);
	outbox_say(out, "\nThe slowest:\n");
	list(out, plot, job, plot->count, columns);
	time_text(half, (double)(job[plot->count / 2]->end - job[plot->count / 2]->start));
	time_text(most, (double)(job[plot->count / 10]->end - job[plot->count / 10]->start));
	outbox_say(out, "Half of all jobs took at most %s, nine of ten %s.\n", half, most);
}

/* How long the jobs would take on that many slots, if each began, in this order, as soon as a slot
   is free. idle[] is a heap: when each slot is free, the earliest first. */
static double
simulate(struct job **job, size_t count, double *idle, size_t slots)
{
	double last = 0, end;
	size_t at, child;

	for (size_t i = 0; i < slots; i++)
		idle[i] = 0;
	for (size_t i = 0; i < count; i++) {
		end = idle[0] + (double)(job[i]->end - job[i]->start);
		last = end > last ? end : last;
		for (at = 0; (child = 2 * at + 1) < slots; at = child) {
			child += child + 1 < slots && idle[child + 1] < idle[child];
			if (idle[child] >= end)
				break;
			idle[at] = idle[child];
		}
		idle[at] = end;
	}
	return last;
}

/* From a quarter of the slots there were to four times as many, or to enough. */
static void
others(struct outbox *out, const struct plot *plot, struct job **job)
{
	double *idle = need_memory(malloc((plot->slots * 4 + 1) * sizeof *idle)), span = 0;
	double enough = (double)plot->longest * ENOUGH;
	char time[HUMAN];
	size_t n;

	qsort(job, plot->count, sizeof *job, job_by_start);
	time_text(time, (double)plot->longest);
	outbox_say(out, "\nOn other numbers of slots, in this order and without a pause\n"
	    "(the longest job takes %s):\n  %7s%13s%8s\n", time, "slots", "elapsed", "busy");
	for (int i = 0; i <= 4; i++) {
		n = plot->slots * (size_t)(1 << i) / 4;
		if (n == 0 || (n > plot->slots && span <= enough))
			continue;
		span = simulate(job, plot->count, idle, n);
		time_text(time, span);
		outbox_say(out, "  %7zu%13s%6.0f %%%s%s\n", n, time,
		    plot->busy * 100 / (span > 0 ? span * (double)n : 1),
		    n == plot->slots ? "  as many as there were" : "",
		    span <= enough ? "  enough" : "");
	}
	free(idle);
}

void
text_write(struct outbox *out, const struct plot *plot, size_t columns)
{
	struct job **job = need_memory(malloc(plot->count * sizeof *job));
	char text[FIGURE], begin[HUMAN], span[HUMAN], sum[HUMAN], tail[HUMAN];

	results_text(text, plot);
	outbox_say(out, "%s\n", text);
	begin_text(begin, plot);
	time_text(span, (double)plot->span);
	time_text(sum, plot->busy);
	time_text(tail, (double)(plot->span - plot->last_start));
	busy_text(text, plot);
	outbox_say(out, "from %s on, in %s; job times add up to %s\n%s%stail: %s from the last "
	    "start to the end\n", begin, span, sum, text, *text != '\0' ? "\n" : "", tail);
	lists(out, plot, job, columns);
	if (plot->slots > 0)
		others(out, plot, job);
	free(job);
}
