#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../display/json.h"
#include "../lib/complain.h"
#include "../lib/number.h"
#include "../lib/outbox.h"
#include "../lib/room.h"
#include "../lib/utf8.h"
#include "sheet.h"

enum { TSV_COMMAND = 79 /* bytes */ };

static const struct kind {
	const char *word;  /* which is the first field */
	const char *types; /* of the others: n number, or "-"; w word in small letters; t text */
	const char *names[SHEET_FIELDS];
} kinds[] = {
    {"pool", "nnnnnnnnn", {"tokens", "free", "out", "waiting", "granted", "returned", "recovered",
        "longest_wait", "mean_wait"}},
    {"build", "nnnnnnn", {"slot", "pid", "seconds", "share", "out", "ready", "priority"}},
    {"slot", "nwnnt", {"slot", "state", "pid", "seconds", "label"}},
    {"wait", "nnnnn", {"place", "pid", "tokens", "priority", "seconds"}},
    {"batch", "nwtnnnnnnnt", {"pid", "kind", "path", "slots", "running", "total", "done", "failed",
        "seconds", "left", "command"}},
    {"run", "nnnnnt", {"slot", "job", "try", "pid", "seconds", "label"}},
    {"entry", "nwtnnnnnnnt", {"pid", "kind", "path", "size", "running", "waiting", "done", "failed",
        "total", "seconds", "command"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds, LAST_RANK = 4 };
static const char *const lists[KINDS] = {NULL, "builds", "slots", "waits", NULL, "runs",
    "entries"};

/* Cuts the text at its tabs; the last field may hold some. 0, or -1 when one is missing. */
static int
cut(char *text, const char *types, const char **field)
{
	for (int i = 0; types[i] != '\0'; i++) {
		if ((text = strchr(text, '\t')) == NULL)
			return -1;
		*text++ = '\0';
		field[i] = text;
	}
	return 0;
}

static int
is_sound(const char *types, const char *const *field)
{
	for (int i = 0; types[i] != '\0'; i++) {
		if (types[i] == 'n' && strcmp(field[i], "-") != 0 && !json_is_number(field[i]))
			return 0;
		if (types[i] == 'w' && (*field[i] == '\0' ||
		    field[i][strspn(field[i], "abcdefghijklmnopqrstuvwxyz")] != '\0'))
			return 0;
	}
	return 1;
}

static int
take_window(struct sheet *sheet, const char *text)
{
	long long from, rows;
	int end = 0;

	if (sscanf(text, "window\t%10lld\t%10lld%n", &from, &rows, &end) != 2 ||
	    text[end] != '\0' || from < 0 || rows < from || rows > INT_MAX)
		return 0;
	sheet->from = (long)from;
	sheet->rows = (long)rows;
	return 1;
}

static int
kind_of(const char *text)
{
	size_t length = strcspn(text, "\t");
	int kind = 0;

	while (kind < KINDS && (strncmp(text, kinds[kind].word, length) != 0 ||
	    kinds[kind].word[length] != '\0'))
		kind++;
	return kind;
}

/* Copies of all fields, one after the other. */
static void
copy(struct line *line, const char *const *field)
{
	const char *types = kinds[line->kind].types;
	size_t size = 1;
	char *p;

	for (int i = 0; types[i] != '\0'; i++)
		size += strlen(field[i]) + 1;
	p = line->text = need_memory(malloc(size));
	for (int i = 0; types[i] != '\0'; i++) {
		line->field[i] = p;
		size = strlen(field[i]) + 1;
		memcpy(p, field[i], size);
		p += size;
	}
}

struct line *
sheet_add(struct sheet *sheet, enum sheet_kind kind, const char *const *field)
{
	struct line *line;

	if (!is_sound(kinds[kind].types, field))
		return NULL;
	sheet->list = need_memory(room_for(sheet->list, &sheet->room, sheet->count + 1,
	    sizeof *line));
	line = sheet->list + sheet->count++;
	*line = (struct line){.kind = kind};
	copy(line, field);
	return line;
}

int
sheet_take(struct sheet *sheet, const char *text)
{
	const char *field[SHEET_FIELDS];
	int kind = kind_of(text), taken;
	char *copied;

	if (kind == KINDS)
		return take_window(sheet, text);
	copied = need_memory(strdup(text));
	taken = cut(copied, kinds[kind].types, field) == 0 &&
	    sheet_add(sheet, (enum sheet_kind)kind, field) != NULL;
	free(copied);
	return taken;
}

long long
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

void
sheet_command(struct line *line, const char *text)
{
	line->command = need_memory(strdup(text));
}

static void
drop_line(struct line *line)
{
	free(line->text);
	free(line->command);
	free(line->left_pool);
}

int
sheet_leased(const struct line *line)
{
	return line->kind == SHEET_BUILD || line->kind == SHEET_SLOT;
}

/* The lowest comes first. */
static int
rank(const struct line *line)
{
	switch (line->kind) {
	case SHEET_POOL:
	case SHEET_BATCH: return 0;
	case SHEET_BUILD: return 1;
	case SHEET_SLOT: return strcmp(line->field[SLOT_STATE], "out") == 0 ? 2 : 3;
	default: return LAST_RANK;
	}
}

static void
sort(const struct sheet *sheet, struct line *list)
{
	size_t n = 0;

	for (int r = 0; r <= LAST_RANK; r++)
		for (size_t i = 0; i < sheet->count; i++)
			if (rank(sheet->list + i) == r)
				list[n++] = sheet->list[i];
}

void
sheet_window(struct sheet *sheet, long from, long count)
{
	struct line *list;
	size_t heads, kept = 0;

	if (sheet->rows >= 0 || sheet->count == 0)
		return;
	list = need_memory(calloc(sheet->count, sizeof *list));
	heads = rank(sheet->list) == 0;
	sheet->rows = (long)(sheet->count - heads);
	sheet->from = from > sheet->rows - count ? sheet->rows - count : from;
	sheet->from = sheet->from < 0 ? 0 : sheet->from;
	sort(sheet, list);
	for (size_t i = 0; i < sheet->count; i++) {
		long row = (long)(i - heads);

		if (i < heads || (row >= sheet->from && row - sheet->from < count))
			sheet->list[kept++] = list[i];
		else
			drop_line(list + i);
	}
	sheet->count = kept;
	free(list);
}

void
sheet_clear(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->count; i++)
		drop_line(sheet->list + i);
	sheet->count = 0;
	sheet->from = 0;
	sheet->rows = -1;
}

void
sheet_drop(struct sheet *sheet)
{
	sheet_clear(sheet);
	free(sheet->list);
	*sheet = (struct sheet){0};
}

static void
add_blanked(struct outbox *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		outbox_add(out, (unsigned char)text[i] < ' ' || text[i] == 127 ? " " : text + i, 1);
}

size_t
sheet_plain(struct outbox *out, const char *text, size_t columns)
{
	struct outbox blanked = {0};
	size_t used;

	add_blanked(&blanked, text, strlen(text));
	outbox_text(&blanked);
	used = outbox_printable(out, outbox_bytes(&blanked), outbox_waits(&blanked) - 1, columns);
	outbox_drop(&blanked);
	return used;
}

/* The field also says what a line has left, or was left by. */
static void
add_command(struct outbox *out, const struct line *line)
{
	const char *command = line->command == NULL ? "" : line->command;
	size_t length = utf8_cut(command, TSV_COMMAND);

	if (line->left_behind)
		outbox_say(out, "(left behind) ");
	if (line->left_pool != NULL)
		outbox_say(out, "(left the pool: %s) ", line->left_pool);
	add_blanked(out, command, length);
}

void
sheet_tsv(struct outbox *out, const struct sheet *sheet)
{
	const struct line *line;

	for (size_t i = 0; i < sheet->count; i++) {
		line = sheet->list + i;
		outbox_say(out, "%s", kinds[line->kind].word);
		for (int f = 0; kinds[line->kind].types[f] != '\0'; f++) {
			outbox_add(out, "\t", 1);
			add_blanked(out, line->field[f], strlen(line->field[f]));
		}
		if (sheet_leased(line) || line->kind == SHEET_WAIT || line->kind == SHEET_RUN) {
			outbox_add(out, "\t", 1);
			add_command(out, line);
		}
		outbox_add(out, "\n", 1);
	}
}

static void
json_members(struct outbox *out, const struct line *line)
{
	const struct kind *kind = kinds + line->kind;

	for (int i = 0; kind->types[i] != '\0'; i++) {
		outbox_say(out, "%s\"%s\":", i > 0 ? "," : "", kind->names[i]);
		if (kind->types[i] != 'n')
			json_string(out, line->field[i], strlen(line->field[i]));
		else
			outbox_say(out, "%s", strcmp(line->field[i], "-") == 0 ? "null"
			    : line->field[i]);
	}
}

static void
json_text(struct outbox *out, const char *name, const char *text)
{
	outbox_say(out, ",\"%s\":", name);
	if (text == NULL)
		outbox_say(out, "null");
	else
		json_string(out, text, strlen(text));
}

static void
json_command(struct outbox *out, const struct line *line)
{
	json_text(out, "command", line->command);
	outbox_say(out, ",\"runner\":%ld", (long)line->runner);
	if (sheet_leased(line))
		outbox_say(out, ",\"left_behind\":%s", line->left_behind ? "true" : "false");
	if (line->kind == SHEET_BUILD)
		json_text(out, "left_pool", line->left_pool);
}

static void
json_list(struct outbox *out, const struct sheet *sheet, enum sheet_kind kind, int first)
{
	const char *comma = "";

	outbox_say(out, "%s\"%s\":[", first ? "" : ",", lists[kind]);
	for (size_t i = 0; i < sheet->count; i++)
		if (sheet->list[i].kind == kind) {
			outbox_say(out, "%s{", comma);
			json_members(out, sheet->list + i);
			if (kind != SHEET_ENTRY)
				json_command(out, sheet->list + i);
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
	if (head != SHEET_ENTRY)
		json_members(out, sheet->list);
	switch (head) {
	case SHEET_POOL:
		json_list(out, sheet, SHEET_BUILD, 0);
		json_list(out, sheet, SHEET_SLOT, 0);
		json_list(out, sheet, SHEET_WAIT, 0);
		break;
	case SHEET_BATCH:
		json_list(out, sheet, SHEET_RUN, 0);
		break;
	default:
		json_list(out, sheet, SHEET_ENTRY, 1);
	}
	outbox_say(out, "}\n");
}
