#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../book/logline.h"
#include "entry.h"
#include "logged.h"

#define MOST_SEQ 1e15
#define MOST_START 253402300799.0 /* the end of the year 9999 */
#define MOST_SECONDS 1e10         /* 300 years */

enum { MICRO = 1000000 };

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

/* Of columns that GNU parallel has written, JobRuntime is padded; a command of several lines has
   NUL for its newlines. */
static void
take_columns(struct logline_fields *line, int *is_slot)
{
	char *command = line->text[LOGLINE_COMMAND];

	*is_slot = *line->text[LOGLINE_SECONDS] != ' ';
	for (int i = 0; i < LOGLINE_COMMAND; i++)
		line->text[i] = trimmed(line->text[i]);
	for (char *c = command; c < command + line->length; c++)
		if (*c == '\0')
			*c = '\n';
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

/* NULL, or what is wrong with them. */
static const char *
take_numbers(struct job *job, char *const text[])
{
	double seq, start, seconds, code = 0, signal = 0;

	if (number(text[LOGLINE_SEQ], 0, MOST_SEQ, &seq) != 0)
		return "the number of the job (Seq) is none";
	if (number(text[LOGLINE_START], 0, MOST_START, &start) != 0)
		return "its start (Starttime) is no time between the years 1970 and 9999";
	if (number(text[LOGLINE_SECONDS], 0, MOST_SECONDS, &seconds) != 0)
		return "its duration (JobRuntime) is no number of seconds from 0 to 300 years";
	if (number(text[LOGLINE_EXIT], -INT_MAX, INT_MAX, &code) != 0)
		return "its exit status (Exitval) is no number";
	if (text[LOGLINE_SIGNAL] != NULL && number(text[LOGLINE_SIGNAL], 0, INT_MAX, &signal) != 0)
		return "its signal (Signal) is no number";
	job->seq = (long long)seq;
	job->start = micro(start);
	job->end = job->start + micro(seconds);
	job->exit = (int)code;
	job->signal = (int)signal;
	return NULL;
}

const char *
entry_read(struct job *job, char *text, size_t length)
{
	struct logline_fields line;
	const char *host;
	int json = *text == '{';

	*job = (struct job){.command = ""};
	if (length > 0 && text[length - 1] == '\r')
		length--;
	if (length == strlen(LOGLINE_HEADER) && memcmp(text, LOGLINE_HEADER, length) == 0)
		return NULL;
	if (logline_cut(&line, text, length, json) != 0)
		return json ? "it begins with { and is no JSON object without others in it"
		    : "it has no nine columns with tabs between them";
	if (json)
		job->is_slot = line.text[LOGLINE_HOST] != NULL;
	else
		take_columns(&line, &job->is_slot);
	host = line.text[LOGLINE_HOST];
	job->host = host == NULL ? "?" : *host == '\0' ? "-" : host;
	if (line.text[LOGLINE_COMMAND] != NULL) {
		job->command = line.text[LOGLINE_COMMAND];
		job->length = line.length;
	}
	return take_numbers(job, line.text);
}
