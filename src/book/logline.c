#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../display/json.h"
#include "../lib/number.h"
#include "../lib/outbox.h"
#include "../lib/utf8.h"
#include "logline.h"
#include "verdict.h"

enum { MOST_JOBS = 100000000, ROOM = 24 };

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

/* The label of its slot, or else the number. */
static const char *
host_of(const struct end *end, char number[ROOM])
{
	snprintf(number, ROOM, "%ld", end->slot);
	return end->host != NULL ? end->host : end->slot == 0 ? "-" : number;
}

/* SIGTERM where it has ended well, but too late. */
static int
signal_of(const struct end *end)
{
	return end->limit > 0 && end->status == 0 && end->signal == 0 ? SIGTERM : end->signal;
}

/* The label of a batch's slot may contain tabs, which would be further columns. */
static void
write_columns(struct outbox *box, const struct end *end, const char *command)
{
	char number[ROOM];

	outbox_say(box, "%ld\t", end->id);
	for (const char *p = host_of(end, number); *p != '\0'; p++)
		outbox_add(box, *p == '\t' ? " " : p, 1);
	outbox_say(box, "\t%lld.%03ld\t%lld.%03lld\t0\t%lld\t%d\t%d\t",
	    (long long)end->start.tv_sec, end->start.tv_nsec / 1000000,
	    end->ms / 1000, end->ms % 1000, end->bytes, end->status, signal_of(end));
	outbox_add(box, command, strlen(command));
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

/* Two commands that are no UTF-8 may look the same as a string: so their bytes follow. */
static void
write_command(struct outbox *box, const char *command, size_t length)
{
	outbox_say(box, ",\"command\":");
	json_string(box, command, length);
	if (is_utf8(command, length))
		return;
	outbox_say(box, ",\"command_hex\":\"");
	for (; length > 0; command++, length--)
		outbox_say(box, "%02x", (unsigned)(unsigned char)*command);
	outbox_say(box, "\"");
}

static void
write_object(struct outbox *box, const struct end *end, const char *command)
{
	char number[ROOM];
	const char *host = host_of(end, number);

	outbox_say(box, LOGLINE_OBJECT "%ld,\"host\":", end->id);
	json_string(box, host, strlen(host));
	outbox_say(box, ",\"start\":%lld.%03ld,\"seconds\":%lld.%03lld,\"send\":0,"
	    "\"receive\":%lld,\"exit\":%d,\"signal\":%d", (long long)end->start.tv_sec,
	    end->start.tv_nsec / 1000000, end->ms / 1000, end->ms % 1000, end->bytes,
	    end->status, signal_of(end));
	write_command(box, command, strlen(command));
	outbox_say(box, "}");
}

char *
logline_text(const struct end *end, const char *command, int json)
{
	struct outbox box = {0};

	if (json)
		write_object(&box, end, command);
	else
		write_columns(&box, end, command);
	outbox_add(&box, "\n", 2);
	return outbox_whole(&box);
}

/* Cuts a line at its tabs; the last column may hold some. */
static int
cut_columns(struct logline_fields *fields, char *line, size_t length)
{
	char *end = line + length;

	for (int i = 0; i < LOGLINE_COMMAND; i++) {
		fields->text[i] = line;
		if ((line = memchr(line, '\t', (size_t)(end - line))) == NULL)
			return -1;
		*line++ = '\0';
	}
	fields->text[LOGLINE_COMMAND] = line;
	fields->length = (size_t)(end - line);
	return 0;
}

/* For json_flat(). The command stays as it is written, though it is no UTF-8; a null is nothing. */
static int
take_member(void *context, const char *name, char *value, size_t length, int is_string)
{
	static const char *const names[LOGLINE_FIELDS] = {"seq", "host", "start", "seconds", "send",
	    "receive", "exit", "signal", "command"};
	struct logline_fields *fields = context;
	int i = 0;

	while (i < LOGLINE_FIELDS && strcmp(name, names[i]) != 0)
		i++;
	if (i == LOGLINE_FIELDS)
		return 0;
	fields->text[i] = is_string || strcmp(value, "null") != 0 ? value : NULL;
	if (i == LOGLINE_COMMAND)
		fields->length = length;
	return 0;
}

int
logline_cut(struct logline_fields *fields, char *line, size_t length, int json)
{
	*fields = (struct logline_fields){.length = 0};
	return json ? json_flat(line, length, take_member, fields)
	    : cut_columns(fields, line, length);
}

int
logline_read(struct logline *found, char *line, size_t length)
{
	struct logline_fields fields;

	*found = (struct logline){0};
	if (logline_cut(&fields, line, length, 0) != 0 ||
	    number_scan(fields.text[LOGLINE_SEQ], 1, MOST_JOBS, &found->id) != 0)
		return -1;
	found->length = fields.length;
	found->command = fields.text[LOGLINE_COMMAND];
	found->succeeded = strcmp(fields.text[LOGLINE_EXIT], "0") == 0 &&
	    strcmp(fields.text[LOGLINE_SIGNAL], "0") == 0;
	return 0;
}
