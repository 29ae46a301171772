#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/room.h"
#include "../lib/utf8.h"
#include "heap.h"
#include "logged.h"
#include "rows.h"

enum { SLOP = 2000 /* a log has milliseconds: jobs of one slot may seem to overlap */ };

/* gpu9 before gpu10: digits count as the number they are. */
static int
natural(const char *a, const char *b)
{
	static const char digits[] = "0123456789";
	size_t m, n;
	int order;

	for (; *a != '\0' && *b != '\0'; a += m, b += n) {
		m = n = 1;
		order = (unsigned char)*a - (unsigned char)*b;
		if (strspn(a, digits) > 0 && strspn(b, digits) > 0) {
			a += strspn(a, "0");
			b += strspn(b, "0");
			m = strspn(a, digits);
			n = strspn(b, digits);
			order = m != n ? (m > n) - (m < n) : memcmp(a, b, m);
		}
		if (order != 0)
			return order;
	}
	return (*a != '\0') - (*b != '\0');
}

static int
is_unbegun(const char *host)
{
	return strcmp(host, "-") == 0;
}

/* Jobs that could not be begun come last. */
static int
by_host(const void *left, const void *right)
{
	const struct job *a = left, *b = right;
	int order = is_unbegun(a->host) - is_unbegun(b->host);

	if (order == 0)
		order = natural(a->host, b->host);
	if (order == 0)
		order = strcmp(a->host, b->host);
	return order != 0 ? order : job_order(a, b);
}

static int
by_row(const void *left, const void *right)
{
	const struct job *a = left, *b = right;

	if (a->row != b->row)
		return (a->row > b->row) - (a->row < b->row);
	return job_order(a, b);
}

/* When a lane is free for the next job, after this one. */
static long long
free_from(const struct job *job)
{
	long long end = job->end - SLOP;

	if (job->is_slot)
		return end;
	return end > job->start ? end : job->end > job->start ? job->start + 1 : job->start;
}

/* Lanes of one host whose jobs are these. A lane that becomes free is in a heap by its number. */
static int
assign(struct rows *rows, struct job *job, size_t count)
{
	struct heap busy = {0}, idle = {0};
	size_t lanes = 0, lane;
	int bad = 0;

	for (size_t i = 0; i < count && !bad; i++, job++) {
		while (busy.count > 0 && busy.entry[0].key <= job->start && !bad)
			bad = heap_add(&idle, 0, heap_take(&busy).what) != 0;
		lane = idle.count > 0 ? heap_take(&idle).what : lanes++;
		job->row = rows->count + lane;
		bad |= heap_add(&busy, free_from(job), lane) != 0;
	}
	rows->count += lanes;
	heap_free(&busy);
	heap_free(&idle);
	return bad ? -1 : 0;
}

static int
assign_all(struct rows *rows, struct logged *jobs)
{
	struct job *job = jobs->job, *end = job + jobs->count, *next;

	qsort(job, jobs->count, sizeof *job, by_host);
	for (; job < end; job = next) {
		for (next = job; next < end && strcmp(next->host, job->host) == 0; next++)
			;
		if (assign(rows, job, (size_t)(next - job)) != 0)
			return -1;
	}
	qsort(jobs->job, jobs->count, sizeof *job, by_row);
	return 0;
}

static void
count_job(struct rows *rows, const struct job *job)
{
	rows->results[job_result(job)]++;
	rows->unbegun += (size_t)is_unbegun(job->host);
	rows->busy += (double)(job->end - job->start);
	if (job->end - job->start > rows->longest)
		rows->longest = job->end - job->start;
	if (job->start > rows->last_start)
		rows->last_start = job->start;
	if (job->end > rows->span)
		rows->span = job->end;
}

static void
fill(struct rows *rows, const struct logged *jobs)
{
	const struct job *job;
	struct row *row = NULL;

	for (size_t i = 0; i < jobs->count; i++) {
		job = jobs->job + i;
		row = rows->row + job->row;
		if (row->count++ == 0) {
			row->host = job->host;
			row->first = i;
			row->lane = row == rows->row || strcmp(row[-1].host, job->host) != 0 ? 1
			    : row[-1].lane + 1;
			row->alone = row->lane == 1;
			if (!row->alone)
				row[-1].alone = 0;
		}
		row->busy += (double)(job->end - job->start);
		row->failed += job_result(job) != RESULT_OK;
		count_job(rows, job);
	}
	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->job[i].end > rows->last_start)
			rows->tail_busy += (double)(jobs->job[i].end - rows->last_start);
	for (size_t i = 0; i < rows->count; i++)
		rows->slots += (size_t)!is_unbegun(rows->row[i].host);
}

int
rows_make(struct rows *rows, struct logged *jobs)
{
	*rows = (struct rows){.span = 1};
	if (assign_all(rows, jobs) != 0 || (rows->row = room_for(NULL, &rows->room, rows->count,
	    sizeof *rows->row)) == NULL)
		return -1;
	fill(rows, jobs);
	return 0;
}

void
rows_free(struct rows *rows)
{
	free(rows->row);
}

void
row_name(char text[ROW_NAME], const struct row *row)
{
	const char *host = strcmp(row->host, ":") == 0 ? "local" : row->host;
	int cut = (int)utf8_cut(host, ROW_NAME - 24);

	if (is_unbegun(row->host))
		snprintf(text, ROW_NAME, "not begun");
	else if (row->alone)
		snprintf(text, ROW_NAME, "%.*s", cut, host);
	else
		snprintf(text, ROW_NAME, "%.*s %zu", cut, host, row->lane);
}
