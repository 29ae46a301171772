#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../display/json.h"
#include "../lib/complain.h"
#include "../lib/number.h"
#include "../lib/outbox.h"
#include "../lib/room.h"
#include "tokstat.h"

static const struct kind {
	const char *word;  /* which is the first field */
	const char *types; /* of the others: n number, or "-"; w word in small letters; t text;
	                      c command, which comes last */
	const char *names[SHEET_FIELDS];
} kinds[] = {
    {"pool", "nnnnnnnnn", {"tokens", "free", "out", "waiting", "granted", "returned", "recovered",
        "longest_wait", "mean_wait"}},
    {"holder", "nnnnnnntc", {"slot", "pid", "seconds", "tokens", "priority", "share", "ready",
        "label", "command"}},
    {"slot", "nwnnnt", {"slot", "state", "pid", "seconds", "holder", "label"}},
    {"wait", "nnnnnc", {"place", "pid", "seconds", "tokens", "priority", "command"}},
    {"batch", "nwtnnnnnnnc", {"pid", "kind", "path", "slots", "running", "total", "done", "failed",
        "seconds", "left", "command"}},
    {"run", "nnnnntc", {"slot", "pid", "seconds", "job", "try", "label", "command"}},
    {"entry", "nwtnnnnnnnc", {"pid", "kind", "path", "size", "running", "waiting", "done", "failed",
        "total", "seconds", "command"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char *const lists[KINDS] = {NULL, "holders", "slots", "waits", NULL, "runs",
    "entries"};

static int
is_sound(char type, const char *field)
{
	if (type == 'n')
		return strcmp(field, "-") == 0 || json_is_number(field);
	if (type == 'w')
		return *field != '\0' &&
		    field[strspn(field, "abcdefghijklmnopqrstuvwxyz")] == '\0';
	return 1;
}

/* Copies of all fields, one after the other. */
static void
copy_fields(struct line *line, const char *const *field)
{
	const char *types = kinds[line->kind].types;
	size_t size = 1;
	char *p;

	for (int i = 0; types[i] != '\0'; i++)
		size += strlen(field[i]) + 1;
	p = line->text = need_memory(malloc(size));
	for (int i = 0; types[i] != '\0'; i++) {
		size = strlen(field[i]) + 1;
		memcpy(p, field[i], size); /* which may be the line's own */
		line->field[i] = p;
		p += size;
	}
}

struct line *
sheet_add(struct sheet *sheet, enum sheet_kind kind, const char *const *field)
{
	const char *types = kinds[kind].types;
	struct line *line;

	for (int i = 0; types[i] != '\0'; i++)
		if (!is_sound(types[i], field[i]))
			return NULL;
	sheet->list = need_memory(room_for(sheet->list, &sheet->room, sheet->count + 1,
	    sizeof *line));
	line = sheet->list + sheet->count++;
	*line = (struct line){.kind = kind};
	copy_fields(line, field);
	return line;
}

/* Cuts the text at its tabs; the last field may hold some. 0, or -1 if one is missing. */
static int
cut_fields(char *text, const char *types, const char **field)
{
	for (int i = 0; types[i] != '\0'; i++) {
		if ((text = strchr(text, '\t')) == NULL)
			return -1;
		*text++ = '\0';
		field[i] = text;
	}
	return 0;
}

struct line *
sheet_take(struct sheet *sheet, const char *text)
{
	size_t length = strcspn(text, "\t");
	const char *field[SHEET_FIELDS];
	struct line *line = NULL;
	int kind = 0;
	char *copied;

	while (kind < KINDS && (strncmp(text, kinds[kind].word, length) != 0 ||
	    kinds[kind].word[length] != '\0'))
		kind++;
	if (kind == KINDS)
		return NULL;
	copied = need_memory(strdup(text));
	if (cut_fields(copied, kinds[kind].types, field) == 0)
		line = sheet_add(sheet, (enum sheet_kind)kind, field);
	free(copied);
	return line;
}

void
sheet_change(struct line *line, int field, const char *text)
{
	char *before = line->text;

	line->field[field] = text;
	copy_fields(line, line->field);
	free(before);
}

long
sheet_number(const struct line *line, int field)
{
	long n;

	return number_scan(line->field[field], 0, LONG_MAX, &n) == 0 ? n : -1;
}

long long
sheet_ms(const struct line *line, int field)
{
	const char *text = line->field[field];
	double seconds = *text == '-' ? -1 : strtod(text, NULL);

	return seconds < 0 ? -1 : seconds > 1e12 ? 1000000000000000
	    : (long long)(seconds * 1000 + 0.5);
}

const char *
sheet_seconds(char text[SHEET_NUMBER], long long ms)
{
	if (ms < 0)
		return strcpy(text, "-");
	snprintf(text, SHEET_NUMBER, "%lld.%03lld", ms / 1000, ms % 1000);
	return text;
}

const char *
sheet_command(const struct line *line)
{
	size_t last = strlen(kinds[line->kind].types) - 1;

	return kinds[line->kind].types[last] == 'c' ? line->field[last] : "";
}

void
sheet_drop(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->count; i++)
		free(sheet->list[i].text);
	free(sheet->list);
	*sheet = (struct sheet){0};
}

void
sheet_tsv(struct outbox *out, const struct sheet *sheet)
{
	for (const struct line *line = sheet->list; line < sheet->list + sheet->count; line++) {
		const char *types = kinds[line->kind].types;

		outbox_say(out, "%s", kinds[line->kind].word);
		for (int i = 0; types[i] != '\0'; i++) {
			outbox_say(out, "\t%s", types[i] == 'c' && line->left_behind
			    ? "(left behind) " : "");
			for (const char *p = line->field[i]; *p != '\0'; p++)
				outbox_add(out, (unsigned char)*p < ' ' || *p == 127 ? " " : p, 1);
		}
		outbox_add(out, "\n", 1);
	}
}

static void
json_members(struct outbox *out, const struct line *line)
{
	const struct kind *kind = kinds + line->kind;

	for (int i = 0; kind->types[i] != '\0'; i++) {
		const char *text = line->field[i];

		outbox_say(out, "%s\"%s\":", i > 0 ? "," : "", kind->names[i]);
		if (strcmp(text, kind->types[i] == 'n' ? "-" : "") == 0 &&
		    kind->types[i] != 't')
			outbox_say(out, "null");
		else if (kind->types[i] == 'n')
			outbox_say(out, "%s", text);
		else
			json_string(out, text, strlen(text));
	}
	if (line->kind == SHEET_HOLDER)
		outbox_say(out, ",\"left_behind\":%s", line->left_behind ? "true" : "false");
}

static void
json_list(struct outbox *out, const struct sheet *sheet, enum sheet_kind kind)
{
	const char *comma = "";

	outbox_say(out, "\"%s\":[", lists[kind]);
	for (size_t i = 0; i < sheet->count; i++)
		if (sheet->list[i].kind == kind) {
			outbox_say(out, "%s{", comma);
			json_members(out, sheet->list + i);
			outbox_add(out, "}", 1);
			comma = ",";
		}
	outbox_add(out, "]", 1);
}

void
sheet_json(struct outbox *out, const struct sheet *sheet)
{
	enum sheet_kind head = sheet->count == 0 ? SHEET_ENTRY : sheet->list->kind;

	outbox_add(out, "{", 1);
	if (head == SHEET_ENTRY) {
		json_list(out, sheet, SHEET_ENTRY);
	} else {
		json_members(out, sheet->list);
		for (enum sheet_kind kind = head + 1; lists[kind] != NULL && kind < SHEET_ENTRY;
		    kind++) {
			outbox_add(out, ",", 1);
			json_list(out, sheet, kind);
		}
	}
	outbox_say(out, "}\n");
}
