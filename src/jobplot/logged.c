#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobplot.h"

const char *const result_word[] = {"ok", "failed", "killed"};

static void
add(struct plot *plot, const struct logline *line)
{
	const char *host = *line->host == '\0' ? "-" : line->host;
	size_t size = strlen(host) + 1;
	struct job *job = need_memory(malloc(sizeof *job + size + line->length));
	char *command = job->text + size;

	plot->job = need_memory(room_for(plot->job, &plot->room, plot->count + 1, sizeof job));
	plot->job[plot->count++] = job;
	*job = (struct job){.seq = line->seq, .start = line->start, .end = line->start + line->time,
	    .sent = line->sent, .received = line->received, .exit = line->status,
	    .signal = line->signal, .is_slot = !line->padded, .host = job->text,
	    .command = command, .length = line->length, .line = line->number};
	/* GNU parallel gives one that was out of time the status -1. */
	job->result = job->signal != 0 || job->exit < 0 ? RESULT_KILLED
	    : job->exit != 0 ? RESULT_FAILED : RESULT_OK;
	if (plot->count == 1 || job->start < plot->epoch)
		plot->epoch = job->start;
	memcpy(job->text, host, size);
	for (size_t i = 0; i < line->length; i++)
		command[i] = line->command[i] == '\0' ? '\n' : line->command[i];
}

static int
read_lines(struct plot *plot, struct feed *feed, const char *name)
{
	struct logline line = {0};
	enum logline_kind kind;
	char *text, first[256] = "";
	size_t length;
	int more;

	while ((more = feed_line(feed, &text, &length)) >= 0) {
		if (more == 0) {
			if (feed_fill(feed) == 0)
				continue;
			complain(errno == EFBIG ? "%s: not a log of jobs: a line is over 16 MB"
			    : "%s:", name);
			return -1;
		}
		plot->lines++;
		if (feed->ended) {
			complain("warning: %s: line %zu has no end: it was being written, and is "
			    "left out", name, plot->lines);
			break;
		}
		kind = logline_read(&line, text, length);
		if (kind == LOGLINE_JOB)
			add(plot, &line);
		if (kind == LOGLINE_BAD && line.number == 1) {
			complain("%s: not a log of jobs, such as jobctl --joblog FILE writes; "
			    "line 1: %s", name, line.why);
			return -1;
		}
		if (kind == LOGLINE_BAD && plot->bad++ == 0)
			snprintf(first, sizeof first, "line %zu: %s", line.number, line.why);
	}
	if (plot->bad > 0)
		complain("warning: %s: %zu of %zu lines are no jobs, and are left out; %s", name,
		    plot->bad, plot->lines, first);
	return 0;
}

/* Nobody needs to see what all commands begin or end with. */
static void
find_common(struct plot *plot)
{
	const struct job *first = plot->job[0], *job;
	size_t prefix = first->length, suffix, n;

	for (size_t i = 1; i < plot->count; i++, prefix = n) {
		job = plot->job[i];
		for (n = 0; n < prefix && n < job->length && job->command[n] == first->command[n];)
			n++;
	}
	if (prefix == first->length)
		return; /* nothing of it would be left */
	while (prefix > 0 && strchr(" /", first->command[prefix - 1]) == NULL)
		prefix--;
	suffix = first->length - prefix;
	for (size_t i = 1; i < plot->count; i++, suffix = n) {
		job = plot->job[i];
		for (n = 0; n < suffix && n < job->length - prefix &&
		    job->command[job->length - n - 1] == first->command[first->length - n - 1];)
			n++;
	}
	while (suffix > 0 && strchr(" .", first->command[first->length - suffix]) == NULL)
		suffix--;
	plot->prefix = prefix;
	plot->suffix = suffix;
}

int
plot_read(struct plot *plot, const char *path)
{
	const char *name = path == NULL ? "standard input" : path;
	struct feed feed;
	int bad;

	*plot = (struct plot){.span = 1};
	if (feed_open(&feed, path, '\n') != 0 || fstat(feed.fd, &plot->input) != 0) {
		complain("%s:", name);
		return -1;
	}
	bad = read_lines(plot, &feed, name);
	feed_close(&feed);
	if (bad != 0)
		return -1;
	if (plot->count == 0) {
		complain(plot->lines == 0 ? "%s: empty: jobctl --joblog FILE writes a log of jobs"
		    : "%s: no job in it: none has ended yet, or all were left out", name);
		return -1;
	}
	for (size_t i = 0; i < plot->count; i++) {
		plot->job[i]->start -= plot->epoch;
		plot->job[i]->end -= plot->epoch;
	}
	find_common(plot);
	return 0;
}

int
job_by_line(const void *left, const void *right)
{
	const struct job *a = *(struct job *const *)left, *b = *(struct job *const *)right;

	return (a->line > b->line) - (a->line < b->line);
}

int
job_by_start(const void *left, const void *right)
{
	const struct job *a = *(struct job *const *)left, *b = *(struct job *const *)right;

	return a->start != b->start ? (a->start > b->start) - (a->start < b->start)
	    : job_by_line(left, right);
}
