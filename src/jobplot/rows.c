#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jobplot.h"

enum { SLOP = 2000 /* a log has milliseconds: jobs of one slot may seem to overlap */ };

static int
is_unbegun(const char *host)
{
	return strcmp(host, "-") == 0;
}

/* gpu9 before gpu10, as the shorter name. Jobs that could not be begun come last. */
static int
by_host(const void *left, const void *right)
{
	const struct job *a = *(struct job *const *)left, *b = *(struct job *const *)right;
	int differ = strcmp(a->host, b->host);
	size_t m = strlen(a->host), n = strlen(b->host);

	if (differ == 0)
		return job_by_start(left, right);
	if (is_unbegun(a->host) || is_unbegun(b->host))
		return is_unbegun(a->host) - is_unbegun(b->host);
	return m != n ? (m > n) - (m < n) : differ;
}

static int
by_row(const void *left, const void *right)
{
	const struct job *a = *(struct job *const *)left, *b = *(struct job *const *)right;

	return a->row != b->row ? (a->row > b->row) - (a->row < b->row) : job_by_start(left, right);
}

/* Finds a row for it, from the first one of its host on. */
static struct row *
place(struct plot *plot, size_t first, const struct job *job)
{
	struct row *row;
	size_t at = first;

	while (at < plot->rows && plot->row[at].free > job->start)
		at++;
	if (at < plot->rows)
		return plot->row + at;
	plot->row = need_memory(room_for(plot->row, &plot->rows_room, ++plot->rows, sizeof *row));
	row = plot->row + at;
	*row = (struct row){.host = job->host, .lane = at - first + 1, .alone = at == first};
	if (!row->alone)
		row[-1].alone = 0;
	plot->slots += (size_t)!is_unbegun(job->host);
	return row;
}

void
plot_rows(struct plot *plot)
{
	const char *host = NULL;
	size_t first = 0;

	qsort(plot->job, plot->count, sizeof *plot->job, by_host);
	for (size_t i = 0; i < plot->count; i++) {
		struct job *job = plot->job[i];
		long long time = job->end - job->start;
		struct row *row;

		if (host == NULL || strcmp(job->host, host) != 0)
			first = plot->rows;
		host = job->host;
		row = place(plot, first, job);
		job->row = (size_t)(row - plot->row);
		row->free = job->is_slot ? job->end - SLOP : job->end;
		plot->busy += (double)time;
		plot->results[job->result]++;
		plot->longest = time > plot->longest ? time : plot->longest;
		plot->last_start = job->start > plot->last_start ? job->start : plot->last_start;
		plot->span = job->end > plot->span ? job->end : plot->span;
	}
	qsort(plot->job, plot->count, sizeof *plot->job, by_row);
}

void
row_name(char text[ROW_NAME], const struct row *row)
{
	const char *host = strcmp(row->host, ":") == 0 ? "local" : row->host;
	int cut = (int)utf8_cut(host, ROW_NAME - 28);
	const char *more = host[cut] != '\0' ? ELLIPSIS : "";

	if (is_unbegun(row->host))
		snprintf(text, ROW_NAME, "not begun");
	else if (row->alone)
		snprintf(text, ROW_NAME, "%.*s%s", cut, host, more);
	else
		snprintf(text, ROW_NAME, "%.*s%s %zu", cut, host, more, row->lane);
}

void
time_text(char text[HUMAN], double us)
{
	human_time(text, (long long)(us < 1e18 ? us / 1000 : 1e15));
}

void
begin_text(char text[HUMAN], const struct plot *plot)
{
	time_t seconds = (time_t)(plot->epoch / 1000000);
	struct tm *tm = localtime(&seconds);

	if (tm == NULL || strftime(text, HUMAN, "%Y-%m-%d %H:%M:%S %z", tm) == 0)
		snprintf(text, HUMAN, "@%lld", plot->epoch / 1000000);
}

void
results_text(char text[FIGURE], const struct plot *plot)
{
	int n = snprintf(text, FIGURE, "%zu job%s", plot->count, plot->count == 1 ? "" : "s");
	const char *before = ":";

	for (int i = 0; i < RESULTS; i++)
		if (plot->results[i] > 0) {
			n += snprintf(text + n, (size_t)(FIGURE - n), "%s %zu %s", before,
			    plot->results[i], result_word[i]);
			before = ",";
		}
}

void
busy_text(char text[FIGURE], const struct plot *plot)
{
	double at_once = plot->busy / (double)plot->span;

	*text = '\0';
	if (plot->slots > 0)
		snprintf(text, FIGURE, "%.*f jobs at once on %zu slot%s: %.0f %% busy",
		    at_once < 100, at_once, plot->slots, plot->slots == 1 ? "" : "s",
		    100 * at_once / (double)plot->slots);
}

void
ending_text(char text[HUMAN], const struct job *job)
{
	snprintf(text, HUMAN, job->signal != 0 ? "signal %d" : job->exit != 0 ? "exit %d" : "ok",
	    job->signal != 0 ? job->signal : job->exit);
}
