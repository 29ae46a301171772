#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../display/json.h"
#include "../lib/complain.h"
#include "../lib/feed.h"
#include "../lib/room.h"
#include "logged.h"

#define HEADER "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand"
#define MOST_SEQ 1e15
#define MOST_START 253402300799.0 /* the end of the year 9999 */
#define MOST_SECONDS 1e10         /* 300 years: bars of more of them still add up */

enum { SEQ, HOST, START, SECONDS, SEND, RECEIVE, EXIT, SIGNAL, COMMAND, COLUMNS };
enum { MICRO = 1000000 };

/* A line as text, before anything is believed. */
struct line {
	char *column[COLUMNS]; /* NULL: not there */
	size_t length;         /* of the command */
	int is_slot;
};

static const char *const members[COLUMNS] = {"seq", "host", "start", "seconds", "send", "receive",
    "exit", "signal", "command"};

/* GNU parallel pads its columns. */
static char *
trimmed(char *text)
{
	size_t length;

	text += strspn(text, " ");
	length = strlen(text);
	while (length > 0 && text[length - 1] == ' ')
		text[--length] = '\0';
	return text;
}

static const char *
cut_columns(struct line *line, char *text, size_t length)
{
	char *end = text + length, *tab;

	for (int i = 0; i < COMMAND; i++) {
		if ((tab = memchr(text, '\t', (size_t)(end - text))) == NULL)
			return "it has no nine columns with tabs between them";
		*tab = '\0';
		line->is_slot = i == SECONDS ? *text != ' ' : line->is_slot;
		line->column[i] = trimmed(text);
		text = tab + 1;
	}
	line->column[COMMAND] = text;
	line->length = (size_t)(end - text);
	for (char *c = text; c < end; c++)
		if (*c == '\0')
			*c = '\n'; /* so GNU parallel writes a command of several lines */
	return NULL;
}

static int
take_member(void *context, const char *name, char *value, size_t length, int is_string)
{
	struct line *line = context;

	if (!is_string && strcmp(value, "null") == 0)
		return 0;
	for (int i = 0; i < COLUMNS; i++)
		if (strcmp(name, members[i]) == 0) {
			line->column[i] = value;
			line->length = i == COMMAND ? length : line->length;
		}
	return 0;
}

static const char *
cut_object(struct line *line, char *text, size_t length)
{
	static char none[] = "";

	line->is_slot = 1;
	if (json_flat(text, length, take_member, line) != 0)
		return "it begins with { and is no JSON object without others in it";
	if (line->column[COMMAND] == NULL)
		line->column[COMMAND] = none;
	return NULL;
}

/* A number within these limits: 0, or -1. */
static int
number(const char *text, double least, double most, double *value)
{
	char *end;

	if (text == NULL || *text == '\0' || text[strspn(text, "0123456789.eE+-")] != '\0')
		return -1;
	*value = strtod(text, &end);
	return *end == '\0' && *value >= least && *value <= most ? 0 : -1;
}

static long long
micro(double seconds)
{
	return (long long)(seconds * MICRO + 0.5);
}

/* Sets the numbers of the job; NULL, or what is wrong. */
static const char *
take_numbers(struct job *job, char *const column[])
{
	double seq, start, seconds, code = 0, signal = 0;

	if (number(column[SEQ], 0, MOST_SEQ, &seq) != 0)
		return "the number of the job (Seq) is none";
	if (number(column[START], 0, MOST_START, &start) != 0)
		return "its start (Starttime) is no time between the years 1970 and 9999";
	if (number(column[SECONDS], 0, MOST_SECONDS, &seconds) != 0)
		return "its duration (JobRuntime) is no number of seconds from 0 to 300 years";
	if (number(column[EXIT], -INT_MAX, INT_MAX, &code) != 0)
		return "its exit status (Exitval) is no number";
	if (column[SIGNAL] != NULL && number(column[SIGNAL], 0, INT_MAX, &signal) != 0)
		return "its signal (Signal) is no number";
	job->seq = (long long)seq;
	job->start = micro(start);
	job->end = job->start + micro(seconds);
	job->exit = (int)code;
	job->signal = (int)signal;
	return NULL;
}

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

static const char *
add(struct logged *jobs, const struct line *line)
{
	static const char no_memory[] = "no memory";
	struct job job = {.is_slot = line->is_slot, .length = line->length, .line = jobs->lines};
	const char *why = take_numbers(&job, line->column), *host = line->column[HOST];
	struct job *bigger;

	if (why != NULL)
		return why;
	host = host == NULL || *host == '\0' ? "-" : host;
	job.host_at = add_text(jobs, host, strlen(host) + 1);
	job.command_at = add_text(jobs, line->column[COMMAND], line->length);
	if (jobs->no_memory || (bigger = room_for(jobs->job, &jobs->room, jobs->count + 1,
	    sizeof *bigger)) == NULL) {
		jobs->no_memory = 1;
		return no_memory;
	}
	jobs->job = bigger;
	jobs->job[jobs->count++] = job;
	return NULL;
}

/* NULL, or why the line is no job. */
static const char *
take_line(struct logged *jobs, char *text, size_t length)
{
	struct line line = {.length = 0};
	const char *why;

	if (length > 0 && text[length - 1] == '\r')
		length--;
	if (length == strlen(HEADER) && memcmp(text, HEADER, length) == 0)
		return NULL;
	why = *text == '{' ? cut_object(&line, text, length) : cut_columns(&line, text, length);
	return why != NULL ? why : add(jobs, &line);
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
		if ((why = take_line(jobs, line, length)) != NULL &&
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
