#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../book/logline.h"
#include "../lib/complain.h"
#include "../lib/feed.h"
#include "../lib/room.h"
#include "entry.h"
#include "logged.h"

/* Where it begins in the text. */
static size_t
add_text(struct logged *jobs, const char *text, size_t length)
{
	size_t at = jobs->length;
	char *bigger = room_for(jobs->text, &jobs->text_room, at + length, 1);

	if (bigger == NULL) {
		jobs->no_memory = 1;
		return at;
	}
	jobs->text = bigger;
	if (length > 0)
		memcpy(bigger + at, text, length);
	jobs->length += length;
	return at;
}

static void
add(struct logged *jobs, struct job *job)
{
	struct job *bigger;

	job->line = jobs->lines;
	job->host_at = add_text(jobs, job->host, strlen(job->host) + 1);
	job->command_at = add_text(jobs, job->command, job->length);
	if (jobs->no_memory || (bigger = room_for(jobs->job, &jobs->room, jobs->count + 1,
	    sizeof *bigger)) == NULL) {
		jobs->no_memory = 1;
		return;
	}
	jobs->job = bigger;
	jobs->job[jobs->count++] = *job;
}

/* NULL, or why the line is no job. */
static const char *
take_line(struct logged *jobs, struct logline *line, char *text, size_t length)
{
	static const char no_memory[] = "no memory";
	struct job job;
	const char *why = entry_read(&job, line, text, length);

	if (why == NULL && job.host != NULL)
		add(jobs, &job);
	return jobs->no_memory ? no_memory : why;
}

/* A line that is no job; the first one tells whether this is a log at all. */
static int
refuse(struct logged *jobs, const char *name, const char *why, char *first, size_t size)
{
	if (jobs->no_memory) {
		errno = ENOMEM;
		complain("%s: line %zu:", name, jobs->lines);
		return -1;
	}
	if (jobs->lines == 1) {
		complain("%s: not a log of jobs, such as jobctl --joblog FILE writes; line 1: %s",
		    name, why);
		return -1;
	}
	if (jobs->bad++ == 0)
		snprintf(first, size, "line %zu: %s", jobs->lines, why);
	return 0;
}

static int
read_lines(struct logged *jobs, struct feed *feed, const char *name)
{
	struct logline entry = {0};
	char *line, first[256] = "";
	const char *why;
	size_t length;
	int more;

	while ((more = feed_line(feed, &line, &length)) >= 0) {
		if (more == 0 && feed_fill(feed) != 0) {
			complain(errno == EFBIG ? "%s: not a log of jobs: a line is over 16 MB"
			    : "%s:", name);
			return -1;
		}
		if (more == 0)
			continue;
		jobs->lines++;
		if (line + length == feed->buffer + feed->end) {
			complain("warning: %s: line %zu has no end: it was being written, and is "
			    "left out", name, jobs->lines);
			break;
		}
		if ((why = take_line(jobs, &entry, line, length)) != NULL &&
		    refuse(jobs, name, why, first, sizeof first) != 0)
			return -1;
	}
	if (jobs->bad > 0)
		complain("warning: %s: %zu of %zu lines are no jobs, and are left out; %s", name,
		    jobs->bad, jobs->lines, first);
	return 0;
}

/* Nothing moves any more: where the text is, and the first start. */
static void
settle(struct logged *jobs)
{
	jobs->epoch = jobs->job[0].start;
	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->job[i].start < jobs->epoch)
			jobs->epoch = jobs->job[i].start;
	for (struct job *job = jobs->job; job < jobs->job + jobs->count; job++) {
		job->host = jobs->text + job->host_at;
		job->command = jobs->text + job->command_at;
		job->start -= jobs->epoch;
		job->end -= jobs->epoch;
	}
}

int
logged_read(struct logged *jobs, const char *path)
{
	const char *name = path == NULL ? "standard input" : path;
	struct feed feed;
	int bad;

	*jobs = (struct logged){.count = 0};
	if (feed_open(&feed, path, '\n') != 0 || fstat(feed.fd, &jobs->input) != 0) {
		complain("%s:", name);
		return -1;
	}
	bad = read_lines(jobs, &feed, name);
	feed_close(&feed);
	if (bad != 0)
		return -1;
	if (jobs->count == 0) {
		complain(jobs->lines == 0 ? "%s: empty: jobctl --joblog FILE writes a log of jobs"
		    : "%s: no job in it: none has ended yet, or all were left out", name);
		return -1;
	}
	settle(jobs);
	return 0;
}

void
logged_free(struct logged *jobs)
{
	free(jobs->job);
	free(jobs->text);
}

int
job_order(const struct job *a, const struct job *b)
{
	if (a->start != b->start)
		return (a->start > b->start) - (a->start < b->start);
	return (a->line > b->line) - (a->line < b->line);
}

const char *const result_word[] = {"ok", "failed", "killed"};

/* GNU parallel gives one that was out of time the status -1. */
enum result
job_result(const struct job *job)
{
	return job->signal != 0 || job->exit < 0 ? RESULT_KILLED
	    : job->exit != 0 ? RESULT_FAILED : RESULT_OK;
}

void
job_ending(char *text, size_t size, const struct job *job)
{
	if (job->signal != 0)
		snprintf(text, size, "killed by signal %d", job->signal);
	else if (job->exit != 0)
		snprintf(text, size, "exit status %d", job->exit);
	else
		snprintf(text, size, "ok");
}

static int
by_seq(const void *left, const void *right)
{
	const long long *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

long long
logged_again(const struct logged *jobs)
{
	long long *seq = malloc(jobs->count * sizeof *seq), again = 0;

	if (seq == NULL)
		return -1;
	for (size_t i = 0; i < jobs->count; i++)
		seq[i] = jobs->job[i].seq;
	qsort(seq, jobs->count, sizeof *seq, by_seq);
	for (size_t i = 1; i < jobs->count; i++)
		again += seq[i] == seq[i - 1];
	free(seq);
	return again;
}
