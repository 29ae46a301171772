#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tokstat.h"

static const struct kind {
	const char *word;  /* which is the first field */
	const char *list;  /* of all of these, in JSON; NULL: there is one, which is the object */
	const char *types; /* of the others: n number, or "-"; w word in small letters; t text;
	                      c command, which comes last */
	const char *names[SHEET_FIELDS];
} kinds[] = {
    {"entry", "entries", "nwtnnnnnnnc", {"pid", "kind", "path", "size", "running", "waiting",
        "done", "failed", "total", "seconds", "command"}},
    {"batch", NULL, "nwtnnnnnnnc", {"pid", "kind", "path", "slots", "running", "total", "done",
        "failed", "seconds", "left", "command"}},
    {"run", "runs", "nnnnntc", {"slot", "pid", "seconds", "job", "try", "label", "command"}},
    {"pool", NULL, "nnnnnnnnn", {"tokens", "free", "out", "waiting", "granted", "returned",
        "recovered", "longest_wait", "mean_wait"}},
    {"holder", "holders", "nnnnnnntc", {"slot", "pid", "seconds", "tokens", "priority", "share",
        "ready", "label", "command"}},
    {"slot", "slots", "nwnnnt", {"slot", "state", "pid", "seconds", "holder", "label"}},
    {"wait", "waits", "nnnnnc", {"place", "pid", "seconds", "tokens", "priority", "command"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

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
	for (int i = 0; types[i] != '\0'; i++)
		line->field[i] = need_memory(strdup(types[i] == 'n' && *field[i] == '-' ? "-"
		    : field[i]));
	return line;
}

struct line *
sheet_take(struct sheet *sheet, char *text)
{
	size_t length = strcspn(text, "\t");
	const char *field[SHEET_FIELDS];
	int kind = 0;

	while (kind < KINDS && (strncmp(text, kinds[kind].word, length) != 0 ||
	    kinds[kind].word[length] != '\0'))
		kind++;
	if (kind == KINDS)
		return NULL;
	for (int i = 0; kinds[kind].types[i] != '\0'; i++) { /* the last one may hold tabs */
		if ((text = strchr(text, '\t')) == NULL)
			return NULL;
		*text++ = '\0';
		field[i] = text;
	}
	return sheet_add(sheet, (enum sheet_kind)kind, field);
}

void
sheet_change(struct line *line, int field, const char *text)
{
	free(line->field[field]);
	line->field[field] = need_memory(strdup(text));
}

long
sheet_number(const char *field)
{
	long n;

	return number_scan(field, 0, LONG_MAX, &n) == 0 ? n : -1;
}

long long
sheet_ms(const char *field)
{
	double seconds = *field == '-' ? -1 : strtod(field, NULL);

	return seconds < 0 ? -1 : seconds > 1e12 ? 1000000000000000
	    : (long long)(seconds * 1000 + 0.5);
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
		for (int f = 0; f < SHEET_FIELDS; f++)
			free(sheet->list[i].field[f]);
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

void
sheet_json(struct outbox *out, const struct sheet *sheet)
{
	int kind = sheet->count == 0 ? SHEET_ENTRY : (int)sheet->list->kind;
	const char *comma = "";

	outbox_add(out, "{", 1);
	if (kinds[kind].list == NULL) {
		json_members(out, sheet->list);
		comma = ",";
		kind++;
	}
	for (; kind < KINDS && kinds[kind].list != NULL; kind++) {
		outbox_say(out, "%s\"%s\":[", comma, kinds[kind].list);
		comma = "";
		for (size_t i = 0; i < sheet->count; i++)
			if ((int)sheet->list[i].kind == kind) {
				outbox_say(out, "%s{", comma);
				json_members(out, sheet->list + i);
				outbox_add(out, "}", 1);
				comma = ",";
			}
		outbox_add(out, "]", 1);
		comma = ",";
	}
	outbox_say(out, "}\n");
}
