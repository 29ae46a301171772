#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../display/human.h"
#include "../lib/complain.h"
#include "../lib/outbox.h"
#include "../lib/utf8.h"
#include "tokstat.h"

#define DOTS "..."

enum {
	COLUMNS = 12,
	BETWEEN = 2, /* blanks between two columns */
	NARROW = 20  /* to which commands and paths are shortened before columns go */
};

struct table {
	const struct column *columns;
	int count;
	size_t width[COLUMNS]; /* 0: it is left out */
	unsigned kinds;
	struct outbox *out;
};

size_t
table_text(struct outbox *out, const char *text, size_t columns)
{
	char *blanked = need_memory(strdup(text));
	size_t used;

	for (char *p = blanked; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = ' ';
	used = outbox_printable(out, blanked, strlen(blanked), columns);
	free(blanked);
	return used;
}

static size_t
width_of(const char *text)
{
	struct outbox scratch = {0};
	size_t width = table_text(&scratch, text, INT_MAX);

	outbox_drop(&scratch);
	return width;
}

/* Its beginning and its end, with dots between. */
static size_t
add_middle(struct outbox *out, const char *text, size_t columns)
{
	size_t n, used, begin = columns < 2 * sizeof DOTS ? 0 : (columns - strlen(DOTS)) / 2;

	if (width_of(text) <= columns)
		return table_text(out, text, columns);
	used = table_text(out, text, begin);
	used += table_text(out, DOTS, columns - used);
	while (*text != '\0' && width_of(text) > columns - used) {
		n = utf8_character(text, strlen(text));
		text += n > 0 ? n : 1;
	}
	return used + table_text(out, text, columns - used);
}

/* The text of a cell, or "": a row that waits has no more than what all rows have. */
static const char *
cell_text(const struct line *line, const struct column *column, char text[HUMAN])
{
	const char *field = line->field[column->field], *command = sheet_command(line);
	long long ms;

	if (line->kind == SHEET_ENTRY && strcmp(line->field[ENTRY_KIND], "pool") == 0 &&
	    column->type >= TABLE_COMMAND) /* one types its path */
		return column->type == TABLE_COMMAND ? line->field[ENTRY_PATH] : "";
	if (column->type == TABLE_STATE)
		return line->kind == SHEET_WAIT ? "waits" : line->left_behind ? "left" : "runs";
	if (column->type == TABLE_COMMAND)
		return *command != '\0' ? command : "?";
	if (line->kind == SHEET_WAIT && column->field >= HOLDER_SHARE)
		return "";
	if (column->type == TABLE_TIME && (ms = sheet_ms(line, column->field)) >= 0) {
		human_seconds(text, ms);
		return text;
	}
	if (column->type == TABLE_NUMBER && (sheet_number(line, column->field) < 0 ||
	    sheet_number(line, column->field) == column->usual))
		return "";
	return strcmp(field, "-") == 0 ? "" : field;
}

static int
is_row(const struct table *t, const struct line *line)
{
	return (t->kinds >> line->kind & 1) != 0;
}

/* How many rows there are in all; the first ones decide about the widths. */
static long
measure(struct table *t, const struct sheet *sheet, long rows)
{
	char text[HUMAN];
	size_t width;
	long count = 0;

	for (size_t i = 0; i < sheet->count; i++) {
		if (!is_row(t, sheet->list + i) || count++ >= rows)
			continue;
		for (int c = 0; c < t->count; c++) {
			width = width_of(cell_text(sheet->list + i, t->columns + c, text));
			if (width > 0 && width < strlen(t->columns[c].title))
				width = strlen(t->columns[c].title);
			t->width[c] = width > t->width[c] ? width : t->width[c];
		}
	}
	return count;
}

/* Shortens and leaves out, until all fit: what a column leaves is for commands and paths again. */
static void
fit(struct table *t, size_t columns)
{
	size_t over, spare, all, wanted[COLUMNS];

	memcpy(wanted, t->width, sizeof wanted);
	for (int last = t->count - 1;; wanted[last--] = 0) {
		memcpy(t->width, wanted, sizeof wanted);
		all = 0;
		for (int c = 0; c < t->count; c++)
			all += t->width[c] > 0 ? t->width[c] + BETWEEN : 0;
		over = all > columns + BETWEEN ? all - columns - BETWEEN : 0;
		for (int c = t->count - 1; c >= 0; c--) {
			if (t->columns[c].type < TABLE_COMMAND || t->width[c] <= NARROW)
				continue;
			spare = t->width[c] - NARROW < over ? t->width[c] - NARROW : over;
			t->width[c] -= spare;
			over -= spare;
		}
		if (over == 0)
			return;
		if (last == 0)
			break;
	}
	t->width[0] = t->width[0] < columns ? t->width[0] : columns;
}

/* Blanks are not written before it is known that something follows. */
static void
draw_cell(const struct table *t, int c, const char *text, size_t *blanks, const char *colour)
{
	struct outbox shown = {0};
	int type = t->columns[c].type,
	    right = type == TABLE_NUMBER || type == TABLE_TIME;
	size_t used;

	if (t->width[c] == 0)
		return;
	used = *text == '/' ? add_middle(&shown, text, t->width[c])
	    : table_text(&shown, text, t->width[c]);
	*blanks += right ? t->width[c] - used : 0;
	if (used > 0) {
		outbox_say(t->out, "%*s%s%s%s", (int)*blanks, "", colour, outbox_text(&shown),
		    *colour != '\0' ? "\033[m" : "");
		*blanks = 0;
	}
	*blanks += BETWEEN + (right ? 0 : t->width[c] - used);
	outbox_drop(&shown);
}

/* A colour tells what waits, and what was left behind. */
static const char *
colour_of(const struct line *line, const struct column *column, int coloured)
{
	if (!coloured || column->type != TABLE_STATE)
		return "";
	return line->kind == SHEET_WAIT ? "\033[35m" : line->left_behind ? "\033[31m" : "\033[32m";
}

long
table_draw(struct outbox *out, const struct sheet *sheet, const struct column *columns, int count,
    unsigned kinds, int width, long rows, int coloured, const char *end)
{
	struct table t = {.columns = columns, .count = count, .kinds = kinds, .out = out};
	long all = measure(&t, sheet, rows), row = 0;
	size_t blanks = 0;
	char text[HUMAN];

	if (all == 0 || rows < 0)
		return all;
	if (width > 0)
		fit(&t, (size_t)width);
	for (int c = 0; c < count; c++)
		draw_cell(&t, c, columns[c].title, &blanks, coloured ? "\033[1m" : "");
	outbox_say(out, "%s", end);
	for (size_t i = 0; i < sheet->count && row < rows; i++) {
		const struct line *line = sheet->list + i;

		if (!is_row(&t, line))
			continue;
		blanks = 0;
		for (int c = 0; c < count; c++)
			draw_cell(&t, c, cell_text(line, columns + c, text), &blanks,
			    colour_of(line, columns + c, coloured));
		outbox_say(out, "%s", end);
		row++;
	}
	return all;
}
