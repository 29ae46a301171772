#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../display/human.h"
#include "../lib/outbox.h"
#include "enough.h"
#include "figures.h"
#include "logged.h"
#include "rows.h"
#include "text.h"

#define ENOUGH 1.05 /* of the shortest time is as good as that */

enum {
	LISTED = 10,  /* jobs of a list */
	SLOTS = 16,   /* that are listed all */
	COLUMNS = 79,
	BAR = 40
};

static void
totals(struct outbox *out, const struct logged *jobs, const struct rows *rows)
{
	char results[FIGURE], busy[FIGURE], begin[HUMAN], span[HUMAN], sum[HUMAN], tail[HUMAN];
	char again[HUMAN];
	long long tries = logged_again(jobs);

	results_text(results, jobs, rows);
	busy_text(busy, rows);
	begin_text(begin, jobs);
	time_text(span, (double)rows->span);
	time_text(sum, rows->busy);
	time_text(tail, (double)(rows->span - rows->last_start));
	outbox_say(out, "%s\n", results);
	if (tries > 0) {
		count_text(again, (size_t)tries);
		outbox_say(out, "of these, %s with the number of another one, such as further "
		    "tries\n", again);
	}
	outbox_say(out, "from %s on, in %s; job times add up to %s\n", begin, span, sum);
	if (*busy != '\0')
		outbox_say(out, "%s\n", busy);
	outbox_say(out, "tail: %s from the last start to the end\n", tail);
}

/* The slowest first. */
static int
by_time(const void *left, const void *right)
{
	const struct job *a = *(const struct job *const *)left;
	const struct job *b = *(const struct job *const *)right;
	long long at = a->end - a->start, bt = b->end - b->start;

	if (at != bt)
		return (at < bt) - (at > bt);
	return (a->line > b->line) - (a->line < b->line);
}

static int
by_line(const void *left, const void *right)
{
	const struct job *a = *(const struct job *const *)left;
	const struct job *b = *(const struct job *const *)right;

	return (a->line > b->line) - (a->line < b->line);
}

static void
list_job(struct outbox *out, const struct job *job, int ending)
{
	char time[HUMAN], how[HUMAN], text[3 * HUMAN];
	int n;

	time_text(time, (double)(job->end - job->start));
	job_ending(how, sizeof how, job);
	n = snprintf(text, sizeof text, "%8lld  %11s  ", job->seq, time);
	if (ending)
		n += snprintf(text + n, sizeof text - (size_t)n, "%-19s  ", how);
	outbox_say(out, "%s", text);
	outbox_printable(out, job->command, job->length, n < COLUMNS ? (size_t)(COLUMNS - n) : 0);
	outbox_say(out, "\n");
}

static void
list(struct outbox *out, const struct job **job, size_t count, int ending)
{
	char more[HUMAN];

	for (size_t i = 0; i < count && i < LISTED; i++)
		list_job(out, job[i], ending);
	if (ending && count > LISTED) {
		count_text(more, count - LISTED);
		outbox_say(out, "          and %s more\n", more);
	}
}

static int
lists(struct outbox *out, const struct logged *jobs)
{
	const struct job **job = malloc(jobs->count * sizeof *job);
	size_t failed = 0;

	if (job == NULL)
		return -1;
	for (size_t i = 0; i < jobs->count; i++)
		if (job_result(jobs->job + i) != RESULT_OK)
			job[failed++] = jobs->job + i;
	qsort(job, failed, sizeof *job, by_line);
	if (failed > 0) {
		outbox_say(out, "\nFailed, in the order of the log:\n");
		list(out, job, failed, 1);
	}
	for (size_t i = 0; i < jobs->count; i++)
		job[i] = jobs->job + i;
	qsort(job, jobs->count, sizeof *job, by_time);
	outbox_say(out, "\nThe slowest:\n");
	list(out, job, jobs->count, 0);
	free(job);
	return 0;
}

static void
bar(struct outbox *out, double part, double whole)
{
	int n = whole > 0 ? (int)(part * BAR / whole + 0.5) : 0;

	n = n > BAR ? BAR : n == 0 && part > 0 ? 1 : n;
	for (int i = 0; i < n; i++)
		outbox_say(out, i == 0 ? "  #" : "#");
}

/* Upper bounds of the histogram: 1, 3, 10 in each unit, and the next unit where that begins. */
static const double bounds[] = {1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 6e7, 18e7, 6e8,
    18e8, 36e8, 108e8, 36e9, 864e8, 864e8 * 3, 864e9, 864e8 * 30, 864e8 * 100, 1e18};

enum { BUCKETS = sizeof bounds / sizeof *bounds };

static void
histogram(struct outbox *out, const struct logged *jobs)
{
	size_t in[BUCKETS] = {0}, most = 0, first = BUCKETS, last = 0, b;
	char bound[HUMAN], count[HUMAN];

	for (size_t i = 0; i < jobs->count; i++) {
		double time = (double)(jobs->job[i].end - jobs->job[i].start);

		for (b = 0; b < BUCKETS - 1 && time > bounds[b]; b++)
			;
		most = ++in[b] > most ? in[b] : most;
		first = b < first ? b : first;
		last = b > last ? b : last;
	}
	outbox_say(out, "\nHow long jobs took:\n");
	for (b = first; b <= last; b++) {
		time_text(bound, bounds[b]);
		count_text(count, in[b]);
		if (b == BUCKETS - 1)
			outbox_say(out, "  longer         %11s", count);
		else
			outbox_say(out, "  up to %-9s%11s", bound, count);
		bar(out, (double)in[b], (double)most);
		outbox_say(out, "\n");
	}
}

static int
by_busy(const void *left, const void *right)
{
	const struct row *a = *(const struct row *const *)left;
	const struct row *b = *(const struct row *const *)right;

	if (a->busy != b->busy)
		return (a->busy > b->busy) - (a->busy < b->busy);
	return (a > b) - (a < b);
}

static void
slot(struct outbox *out, const struct row *row, const struct rows *rows)
{
	char name[ROW_NAME], count[HUMAN], failed[HUMAN];
	size_t used;

	row_name(name, row);
	count_text(count, row->count);
	count_text(failed, row->failed);
	outbox_say(out, "  ");
	used = outbox_printable(out, name, strlen(name), 18);
	outbox_say(out, "%*s%9s%9s%6d %%", (int)(18 - used), "", count, failed,
	    percent(row->busy, (double)rows->span));
	bar(out, row->busy / 2, (double)rows->span);
	outbox_say(out, "\n");
}

static int
slots(struct outbox *out, const struct rows *rows)
{
	const struct row **row = malloc(rows->count * sizeof *row);
	size_t shown = rows->count <= SLOTS ? rows->count : LISTED;
	char count[HUMAN];

	if (row == NULL)
		return -1;
	for (size_t i = 0; i < rows->count; i++)
		row[i] = rows->row + i;
	count_text(count, rows->count);
	if (shown < rows->count) {
		qsort(row, rows->count, sizeof *row, by_busy);
		outbox_say(out, "\nThe %zu least busy of %s slots:\n", shown, count);
	} else
		outbox_say(out, "\nHow busy each slot was:\n");
	outbox_say(out, "  %-18s%9s%9s%8s\n", "slot", "jobs", "failed", "busy");
	for (size_t i = 0; i < shown; i++)
		slot(out, row[i], rows);
	free(row);
	return 0;
}

static int
simulated(struct outbox *out, const struct enough *enough, const struct rows *rows, size_t slots,
    const char *note)
{
	long long span = enough_span(enough, slots);
	char time[HUMAN], count[HUMAN];

	if (span < 0)
		return -1;
	time_text(time, (double)span);
	count_text(count, slots);
	outbox_say(out, "  %9s%14s%6d %%%s\n", count, time,
	    percent(rows->busy, (double)span * (double)slots), note);
	return 0;
}

/* A line for powers of two, for as many as there were, and for as many as are enough. */
static int
table(struct outbox *out, const struct enough *enough, const struct rows *rows, size_t least)
{
	size_t next, last = least > rows->slots ? least : rows->slots;

	for (size_t n = 1; n <= last; n = next) {
		next = n < 2 ? 2 : 1;
		while (next <= n)
			next *= 2;
		if (n < rows->slots && rows->slots < next)
			next = rows->slots;
		if (n < least && least < next)
			next = least;
		if (simulated(out, enough, rows, n, n == least && n == rows->slots ?
		    "  enough; as many as there were" : n == least ? "  enough" :
		    n == rows->slots ? "  as many as there were" : "") != 0)
			return -1;
	}
	return 0;
}

static int
what_is_enough(struct outbox *out, const struct logged *jobs, const struct rows *rows)
{
	struct enough enough;
	long long least, as_good, ours;
	char longest[HUMAN], count[HUMAN];
	int bad = -1;

	time_text(longest, (double)rows->longest);
	outbox_say(out, "\nOn other numbers of slots, if the jobs began in this order, each as "
	    "soon as a\nslot is free, and took as long as they did:\n"
	    "  %9s%14s%8s\n", "slots", "elapsed", "busy");
	if (enough_open(&enough, jobs) == 0 &&
	    (least = enough_least(&enough, (double)rows->longest * ENOUGH)) > 0 &&
	    (ours = enough_span(&enough, rows->slots > 0 ? rows->slots : 1)) >= 0 &&
	    (as_good = enough_least(&enough, (double)ours * ENOUGH)) > 0 &&
	    table(out, &enough, rows, (size_t)least) == 0) {
		bad = 0;
		count_text(count, (size_t)least);
		outbox_say(out, "%s would be enough: within 5 %% of the longest job, %s, which no "
		    "number\nof slots beats.\n", count, longest);
		count_text(count, (size_t)as_good);
		if ((size_t)as_good < rows->slots)
			outbox_say(out, "%s would do as well as those there were, within 5 %%.\n",
			    count);
	}
	enough_close(&enough);
	return bad;
}

int
text_write(struct outbox *out, const struct logged *jobs, const struct rows *rows)
{
	totals(out, jobs, rows);
	if (lists(out, jobs) != 0)
		return -1;
	histogram(out, jobs);
	if (slots(out, rows) != 0)
		return -1;
	return what_is_enough(out, jobs, rows);
}
