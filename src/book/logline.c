#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

enum { SEQ, HOST, START, SECONDS, SEND, RECEIVE, EXIT, SIGNAL, COMMAND, COLUMNS };
enum { MICRO = 6 /* digits behind the point */, BASE = 10 };

/* Columns that are numbers, from 0 or 1 to most; places: digits behind the point that count. */
static const struct column {
	const char *name;
	int least, places;
	long long most;
} columns[COLUMNS] = {
	[SEQ] = {"Seq", 1, 0, 100000000},
	[START] = {"Starttime", 0, MICRO, 253402300799}, /* the end of the year 9999 */
	[SECONDS] = {"JobRuntime", 0, MICRO, 10000000000}, /* 300 years */
	[SEND] = {"Send", 0, 0, 1000000000000000},
	[RECEIVE] = {"Receive", 0, 0, 1000000000000000},
	[EXIT] = {"Exitval", 0, 0, INT_MAX},
	[SIGNAL] = {"Signal", 0, 0, INT_MAX},
};

char *
logline_text(const struct end *end, const char *command)
{
	struct outbox box = {0};
	char slot[32];
	const char *host = end->host != NULL ? end->host : end->slot == 0 ? "-" : slot;
	/* SIGTERM where it has ended well, but too late. */
	int signal = end->limit > 0 && end->status == 0 && end->signal == 0 ? SIGTERM : end->signal;

	snprintf(slot, sizeof slot, "%ld", end->slot);
	outbox_say(&box, "%ld\t", end->id);
	for (; *host != '\0'; host++) /* a tab in a label would be a further column */
		outbox_add(&box, *host == '\t' ? " " : host, 1);
	outbox_say(&box, "\t%lld.%03ld\t%lld.%03lld\t0\t%lld\t%d\t%d\t",
	    (long long)end->start.tv_sec, end->start.tv_nsec / 1000000,
	    end->ms / 1000, end->ms % 1000, end->bytes, end->status, signal);
	outbox_say(&box, "%s\n", command);
	outbox_add(&box, "", 1);
	return need_memory(outbox_whole(&box));
}

/* A number, with blanks around it; a comma is a point, too. 0, or -1. */
static int
scan_number(const struct column *column, const char *text, long long *value)
{
	static const char digits[] = "0123456789";
	int places = column->places;

	text += strspn(text, " ");
	if (strspn(text, digits) == 0)
		return -1;
	for (*value = 0; *text >= '0' && *text <= '9'; text++) {
		*value = *value * BASE + *text - '0';
		if (*value > column->most)
			return -1;
	}
	if (*value < column->least)
		return -1;
	if (places > 0 && (*text == '.' || *text == ','))
		text++;
	for (; *text >= '0' && *text <= '9' && column->places > 0; text++)
		if (places > 0) {
			*value = *value * BASE + *text - '0';
			places--;
		}
	for (; places > 0; places--)
		*value *= BASE;
	return text[strspn(text, " ")] == '\0' ? 0 : -1;
}

/* Cuts a line at its tabs; the last column may hold some. How many columns there are. */
static int
cut_columns(char *column[COLUMNS], char *text, const char *end)
{
	int n = 0;

	for (; n < COLUMNS && text != NULL; n++) {
		column[n] = text;
		text = n == COMMAND ? NULL : memchr(text, '\t', (size_t)(end - text));
		if (text != NULL)
			*text++ = '\0';
	}
	return n;
}

/* 0, or -1 where a column is no such number, and line->why. */
static int
take_numbers(struct logline *line, char *const text[])
{
	long long value[COLUMNS] = {0};
	int negative = *text[EXIT] == '-';

	for (int i = 0; i < COMMAND; i++)
		if (columns[i].name != NULL &&
		    scan_number(columns + i, text[i] + (i == EXIT && negative), value + i) != 0) {
			snprintf(line->why, sizeof line->why, "%s '%.40s' is no number from %d to "
			    "%lld", columns[i].name, text[i], columns[i].least, columns[i].most);
			return -1;
		}
	line->seq = (long)value[SEQ];
	line->start = value[START];
	line->time = value[SECONDS];
	line->sent = value[SEND];
	line->received = value[RECEIVE];
	line->status = negative ? -(int)value[EXIT] : (int)value[EXIT];
	line->signal = (int)value[SIGNAL];
	line->succeeded = line->status == 0 && line->signal == 0;
	return 0;
}

/* 1 for the names of columns. Editors on Windows put a mark in front of them. */
static int
is_header(struct logline *line, const char *text)
{
	static const char mark[] = BYTE_ORDER_MARK, header[] = LOGLINE_HEADER;

	if (strncmp(text, mark, sizeof mark - 1) == 0)
		text += sizeof mark - 1;
	if (strncmp(text, header, sizeof header - 1) != 0)
		return 0;
	text += sizeof header - 1;
	if (*text != '\0' && strcmp(text, "\r") != 0)
		return 0;
	line->windows = *text == '\r';
	return 1;
}

enum logline_kind
logline_read(struct logline *line, char *text, size_t length)
{
	char *column[COLUMNS], *end = text + length;
	int n;

	line->number++;
	if (is_header(line, text))
		return LOGLINE_NAMES;
	if (line->windows && length > 0 && end[-1] == '\r')
		*--end = '\0';
	if ((n = cut_columns(column, text, end)) < COLUMNS) {
		snprintf(line->why, sizeof line->why, "%d of the %d columns of a job, which have "
		    "tabs between them", n, COLUMNS);
		return LOGLINE_BAD;
	}
	if (take_numbers(line, column) != 0)
		return LOGLINE_BAD;
	line->padded = *column[SECONDS] == ' ';
	line->host = column[HOST];
	line->host += strspn(line->host, " ");
	for (n = (int)strlen(line->host); n > 0 && line->host[n - 1] == ' '; n--)
		line->host[n - 1] = '\0';
	line->command = column[COMMAND];
	line->length = (size_t)(end - line->command);
	return LOGLINE_JOB;
}
