#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../display/json.h"
#include "entry.h"

#define HEADER "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand"
#define MOST_SEQ 1e15
#define MOST_START 253402300799.0 /* the end of the year 9999 */
#define MOST_SECONDS 1e10         /* 300 years */

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
	line->is_slot = 1;
	if (json_flat(text, length, take_member, line) != 0)
		return "it begins with { and is no JSON object without others in it";
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

/* NULL, or what is wrong with them. */
static const char *
take_numbers(struct entry *entry, char *const column[])
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
	entry->seq = (long long)seq;
	entry->start = micro(start);
	entry->end = entry->start + micro(seconds);
	entry->exit = (int)code;
	entry->signal = (int)signal;
	return NULL;
}

const char *
entry_read(struct entry *entry, char *text, size_t length)
{
	struct line line = {.length = 0};
	const char *why, *host;

	*entry = (struct entry){.seq = 0};
	if (length > 0 && text[length - 1] == '\r')
		length--;
	if (length == strlen(HEADER) && memcmp(text, HEADER, length) == 0) {
		entry->is_header = 1;
		return NULL;
	}
	why = *text == '{' ? cut_object(&line, text, length) : cut_columns(&line, text, length);
	if (why == NULL)
		why = take_numbers(entry, line.column);
	host = line.column[HOST];
	entry->host = host == NULL || *host == '\0' ? "-" : host;
	entry->command = line.column[COMMAND] == NULL ? "" : line.column[COMMAND];
	entry->length = line.length;
	entry->is_slot = line.is_slot;
	return why;
}
