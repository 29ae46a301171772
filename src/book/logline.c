#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../display/json.h"
#include "../lib/feed.h"
#include "../lib/number.h"
#include "../lib/outbox.h"
#include "../lib/utf8.h"
#include "joblog.h"
#include "logline.h"

enum { COLUMNS = 9, EXITVAL = 6, SIGNAL = 7, COMMAND = 8, MOST_JOBS = 100000000 };

/* Which members an object has: a file of objects that have others is no log of jobs. */
enum { HAS_SEQ = 1, HAS_EXIT = 2, HAS_SIGNAL = 4, HAS_COMMAND = 8, HAS_ALL = 15, HAS_BYTES = 16 };

struct object {
	struct logline *found;
	int has;
	long status, signal;
};

int
logline_json(const char *path)
{
	static const char *const ends[] = {".json", ".jsonl", ".ndjson"};
	size_t length = strlen(path), n;

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (length >= (n = strlen(ends[i])) && strcmp(path + length - n, ends[i]) == 0)
			return 1;
	return 0;
}

/* The label of a batch's slot may contain tabs, which would be further columns. */
static void
write_columns(struct outbox *box, const struct joblog_line *line)
{
	outbox_say(box, "%ld\t", line->id);
	for (const char *p = line->host; *p != '\0'; p++)
		outbox_add(box, *p == '\t' ? " " : p, 1);
	outbox_say(box, "\t%lld.%03ld\t%lld.%03lld\t0\t%lld\t%d\t%d\t",
	    (long long)line->start.tv_sec, line->start.tv_nsec / 1000000,
	    line->ms / 1000, line->ms % 1000, line->bytes, line->status, line->signal);
	outbox_add(box, line->command, strlen(line->command));
}

static int
is_utf8(const char *text, size_t length)
{
	const char *end = text + length;
	size_t n;

	for (; text < end; text += n)
		if ((n = utf8_character(text, (size_t)(end - text))) == 0)
			return 0;
	return 1;
}

static void
write_hex(struct outbox *box, const char *text, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	char pair[2];

	for (; length > 0; text++, length--) {
		pair[0] = digits[(unsigned char)*text >> 4];
		pair[1] = digits[*text & 15];
		outbox_add(box, pair, 2);
	}
}

/* Two commands that are no UTF-8 may look the same as a string: so their bytes follow. */
static void
write_command(struct outbox *box, const char *command, size_t length)
{
	outbox_say(box, ",\"command\":");
	json_string(box, command, length);
	if (is_utf8(command, length))
		return;
	outbox_say(box, ",\"command_hex\":\"");
	write_hex(box, command, length);
	outbox_say(box, "\"");
}

static void
write_object(struct outbox *box, const struct joblog_line *line, int known)
{
	outbox_say(box, LOGLINE_OBJECT "%ld,\"host\":", line->id);
	json_string(box, line->host, strlen(line->host));
	outbox_say(box, ",\"start\":%lld.%03ld,\"seconds\":%lld.%03lld,\"send\":0,"
	    "\"receive\":%lld,\"exit\":%d,\"signal\":%d", (long long)line->start.tv_sec,
	    line->start.tv_nsec / 1000000, line->ms / 1000, line->ms % 1000, line->bytes,
	    line->status, line->signal);
	if (known)
		write_command(box, line->command, strlen(line->command));
	else
		outbox_say(box, ",\"command\":null");
	outbox_say(box, "}");
}

char *
logline_text(const struct joblog_line *line, int json)
{
	struct outbox box = {0};

	if (json)
		write_object(&box, line, 1);
	else
		write_columns(&box, line);
	if (json && outbox_waits(&box) >= FEED_LONGEST) { /* nobody could read the log again */
		outbox_drop(&box);
		write_object(&box, line, 0);
	}
	outbox_add(&box, "\n", 2);
	return outbox_whole(&box);
}

/* Cuts a line at its tabs; the last column may hold some. */
static int
read_columns(struct logline *found, char *line, size_t length)
{
	char *column[COLUMNS], *end = line + length;

	for (int i = 0; i < COLUMNS; i++) {
		column[i] = line;
		if (i == COLUMNS - 1)
			break;
		if ((line = strchr(line, '\t')) == NULL)
			return -1;
		*line++ = '\0';
	}
	found->command = column[COMMAND];
	found->length = (size_t)(end - column[COMMAND]);
	found->succeeded = strcmp(column[EXITVAL], "0") == 0 && strcmp(column[SIGNAL], "0") == 0;
	return number_scan(column[0], 1, MOST_JOBS, &found->id);
}

/* Puts the bytes in place of their digits: 0, or -1 where these are none. */
static int
read_hex(char *text, size_t length)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *digit;
	int value;

	for (size_t i = 0; i < length; i++) {
		if ((digit = memchr(digits, text[i], sizeof digits - 1)) == NULL)
			return -1;
		value = (int)(digit - digits);
		value -= value < 16 ? 0 : 6;
		text[i / 2] = (char)(i % 2 == 0 ? value << 4 : text[i / 2] | value);
	}
	return length % 2 == 0 ? 0 : -1;
}

/* A number of an object, as one that can be a status: 0, or -1. */
static int
read_number(const char *value, int is_string, long *number)
{
	return is_string ? -1 : number_scan(value, 0, INT_MAX, number);
}

/* The bytes of a command count, where they are there, before or after the text of it. */
static int
read_command(struct object *object, char *value, size_t length, int is_string, int hex)
{
	if (hex && (!is_string || read_hex(value, length) != 0))
		return -1;
	if (!is_string || (!hex && object->has & HAS_BYTES))
		return 0;
	object->found->command = value;
	object->found->length = hex ? length / 2 : length;
	return 0;
}

/* As json_flat() wants it. */
static int
read_member(void *context, const char *name, char *value, size_t length, int is_string)
{
	static const char *const names[] = {"seq", "exit", "signal", "command", "command_hex"};
	struct object *object = context;
	int i = 0;

	while (i < (int)(sizeof names / sizeof *names) && strcmp(name, names[i]) != 0)
		i++;
	object->has |= 1 << i;
	switch (1 << i) {
	case HAS_SEQ:
		return is_string ? -1 : number_scan(value, 1, MOST_JOBS, &object->found->id);
	case HAS_EXIT: return read_number(value, is_string, &object->status);
	case HAS_SIGNAL: return read_number(value, is_string, &object->signal);
	case HAS_COMMAND:
	case HAS_BYTES:
		return read_command(object, value, length, is_string, 1 << i == HAS_BYTES);
	default: return 0;
	}
}

static int
read_object(struct logline *found, char *line, size_t length)
{
	struct object object = {.found = found};

	if (json_flat(line, length, read_member, &object) != 0 ||
	    (object.has & HAS_ALL) != HAS_ALL)
		return -1;
	found->succeeded = object.status == 0 && object.signal == 0;
	return 0;
}

int
logline_read(struct logline *found, char *line, size_t length, int json)
{
	*found = (struct logline){0};
	return json ? read_object(found, line, length) : read_columns(found, line, length);
}
