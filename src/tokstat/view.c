#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokstat.h"

#define DOTS "..."

enum {
	COLUMNS = 12,
	BETWEEN = 2, /* blanks between two columns */
	NARROW = 20, /* to which commands and paths are shortened before columns go */
	USUAL = 5    /* priority */
};

/* A column of a table. If no row has anything for it, it is left out. */
struct column {
	const char *title; /* NULL: there are no more */
	int field;
	enum { TABLE_TEXT, TABLE_NUMBER, TABLE_TIME, TABLE_STATE, TABLE_COMMAND, TABLE_PATH } type;
	long usual; /* a number that is not worth showing, or -1 */
};

static const struct column pool_columns[COLUMNS] = {
    {"COMMAND", 0, TABLE_COMMAND, -1}, {"STATE", 0, TABLE_STATE, -1},
    {"TIME", ROW_SECONDS, TABLE_TIME, -1}, {"TOKENS", HOLDER_TOKENS, TABLE_NUMBER, -1},
    {"SHARE", HOLDER_SHARE, TABLE_NUMBER, -1}, {"READY", HOLDER_READY, TABLE_NUMBER, -1},
    {"LABEL", HOLDER_LABEL, TABLE_TEXT, -1}, {"PRIO", HOLDER_PRIORITY, TABLE_NUMBER, USUAL},
    {"PID", ROW_PID, TABLE_NUMBER, 0},
};
static const struct column batch_columns[COLUMNS] = {
    {"COMMAND", 0, TABLE_COMMAND, -1}, {"TIME", ROW_SECONDS, TABLE_TIME, -1},
    {"JOB", RUN_JOB, TABLE_NUMBER, -1}, {"TRY", RUN_TRY, TABLE_NUMBER, 1},
    {"SLOT", ROW_SLOT, TABLE_NUMBER, -1}, {"LABEL", RUN_LABEL, TABLE_TEXT, -1},
    {"PID", ROW_PID, TABLE_NUMBER, 0},
};
static const struct column all_columns[COLUMNS] = {
    {"COMMAND", 0, TABLE_COMMAND, -1}, {"KIND", ENTRY_KIND, TABLE_TEXT, -1},
    {"BUSY", ENTRY_RUNNING, TABLE_NUMBER, -1}, {"OF", ENTRY_SIZE, TABLE_NUMBER, -1},
    {"WAIT", ENTRY_WAITING, TABLE_NUMBER, 0}, {"DONE", ENTRY_DONE, TABLE_NUMBER, -1},
    {"OF", ENTRY_TOTAL, TABLE_NUMBER, -1}, {"FAILED", ENTRY_FAILED, TABLE_NUMBER, 0},
    {"TIME", ENTRY_SECONDS, TABLE_TIME, -1}, {"PID", ENTRY_PID, TABLE_NUMBER, 0},
    {"PATH", ENTRY_PATH, TABLE_PATH, -1},
};

/* What is drawn, and how wide its columns are. */
struct grid {
	const struct sheet *sheet;
	const struct column *columns;
	size_t width[COLUMNS]; /* 0: it is left out */
	struct outbox *out;
	int coloured;
	const char *end; /* of each line */
};

static const char *
plural(const char *number)
{
	return strcmp(number, "1") == 0 ? "" : "s";
}

static void
say_pool(struct outbox *text, const struct subject *subject)
{
	const struct sheet *sheet = &subject->sheet;
	char *const *pool = sheet->list->field;
	const char *between = "; free: ";
	long resting = sheet_number(pool[POOL_TOKENS]) - sheet_number(pool[POOL_OUT]) -
	    sheet_number(pool[POOL_FREE]);
	char mean[HUMAN], longest[HUMAN];

	outbox_say(text, "%s\n", subject->path);
	if (strcmp(pool[POOL_TOKENS], "0") == 0)
		outbox_say(text, "paused, ");
	else
		outbox_say(text, "%s token%s, ", pool[POOL_TOKENS], plural(pool[POOL_TOKENS]));
	outbox_say(text, "%s out, %s free, ", pool[POOL_OUT], pool[POOL_FREE]);
	if (resting > 0) /* until -i or -d of tokend lets them go again */
		outbox_say(text, "%ld resting, ", resting);
	outbox_say(text, "%s waiting\n", pool[POOL_WAITING]);
	human_time(mean, sheet_ms(pool[POOL_MEAN]));
	human_time(longest, sheet_ms(pool[POOL_LONGEST]));
	outbox_say(text, "%s granted, waited %s on average, %s at most", pool[POOL_GRANTED], mean,
	    longest);
	if (strcmp(pool[POOL_RECOVERED], "0") != 0)
		outbox_say(text, ", %s recovered", pool[POOL_RECOVERED]);
	for (const struct line *line = sheet->list; line < sheet->list + sheet->count; line++)
		if (line->kind == SHEET_SLOT && strcmp(line->field[SLOT_STATE], "free") == 0 &&
		    *line->field[SLOT_LABEL] != '\0') {
			outbox_say(text, "%s%s", between, line->field[SLOT_LABEL]);
			between = ", ";
		}
}

void
view_state(struct outbox *text, const struct line *line)
{
	char *const *batch = line->field;

	if (strcmp(batch[BATCH_DONE], "-") == 0) {
		outbox_say(text, "just begun");
		return;
	}
	outbox_say(text, "%s", batch[BATCH_DONE]);
	if (strcmp(batch[BATCH_TOTAL], "-") != 0)
		outbox_say(text, " of %s", batch[BATCH_TOTAL]);
	outbox_say(text, " done, %s failed, %s running", batch[BATCH_FAILED],
	    batch[BATCH_RUNNING]);
}

static void
say_batch(struct outbox *text, const struct line *line)
{
	char *const *batch = line->field;
	long long spent = sheet_ms(batch[BATCH_SECONDS]), left = sheet_ms(batch[BATCH_LEFT]);
	char elapsed[HUMAN], rate[HUMAN], rest[HUMAN];

	outbox_say(text, "%s\n", batch[BATCH_COMMAND]);
	view_state(text, line);
	if (sheet_number(batch[BATCH_SLOTS]) >= 0)
		outbox_say(text, " in %s slot%s", batch[BATCH_SLOTS], plural(batch[BATCH_SLOTS]));
	human_seconds(elapsed, spent);
	human_rate(rate, sheet_number(batch[BATCH_DONE]), spent);
	outbox_say(text, "\n%s elapsed, %s jobs/s", elapsed, rate);
	if (left >= 0) {
		human_seconds(rest, left);
		outbox_say(text, ", about %s left", rest);
	}
	outbox_say(text, "; %s %s", batch[BATCH_KIND], batch[BATCH_PID]);
	if (strcmp(batch[BATCH_PATH], "-") != 0)
		outbox_say(text, ", %s", batch[BATCH_PATH]);
}

/* Adds text without what a terminal might obey, and blanks for control characters: how many columns
   it takes, at most that many. */
static size_t
add_text(struct outbox *out, const char *text, size_t columns)
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
	size_t width = add_text(&scratch, text, INT_MAX);

	outbox_drop(&scratch);
	return width;
}

/* Its beginning and its end, with dots between. */
static size_t
add_middle(struct outbox *out, const char *text, size_t columns)
{
	size_t n, used, begin = columns < 2 * sizeof DOTS ? 0 : (columns - strlen(DOTS)) / 2;

	if (width_of(text) <= columns)
		return add_text(out, text, columns);
	used = add_text(out, text, begin);
	used += add_text(out, DOTS, columns - used);
	while (*text != '\0' && width_of(text) > columns - used) {
		n = utf8_character(text, strlen(text));
		text += n > 0 ? n : 1;
	}
	return used + add_text(out, text, columns - used);
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
	if (column->type == TABLE_TIME && (ms = sheet_ms(field)) >= 0) {
		human_seconds(text, ms);
		return text;
	}
	if (column->type == TABLE_NUMBER &&
	    (sheet_number(field) < 0 || sheet_number(field) == column->usual))
		return "";
	return strcmp(field, "-") == 0 ? "" : field;
}

static int
is_row(const struct line *line)
{
	return line->kind != SHEET_POOL && line->kind != SHEET_SLOT && line->kind != SHEET_BATCH;
}

/* How many rows there are in all; the first ones decide about the widths. */
static long
measure_columns(struct grid *t, long rows)
{
	char text[HUMAN];
	size_t width;
	long count = 0;

	for (size_t i = 0; i < t->sheet->count; i++) {
		const struct line *line = t->sheet->list + i;

		if (!is_row(line) || count++ >= rows)
			continue;
		for (int c = 0; t->columns[c].title != NULL; c++) {
			width = width_of(cell_text(line, t->columns + c, text));
			if (width > 0 && width < strlen(t->columns[c].title))
				width = strlen(t->columns[c].title);
			t->width[c] = width > t->width[c] ? width : t->width[c];
		}
	}
	return count;
}

/* Shortens and leaves out, until all fit: what a column leaves is for commands and paths again. */
static void
fit_columns(struct grid *t, size_t columns)
{
	size_t over, spare, all, wanted[COLUMNS];

	memcpy(wanted, t->width, sizeof wanted);
	for (int last = COLUMNS - 1;; wanted[last--] = 0) {
		memcpy(t->width, wanted, sizeof wanted);
		all = 0;
		for (int c = 0; c < COLUMNS; c++)
			all += t->width[c] > 0 ? t->width[c] + BETWEEN : 0;
		over = all > columns + BETWEEN ? all - columns - BETWEEN : 0;
		for (int c = COLUMNS - 1; c >= 0; c--) {
			if (t->columns[c].type < TABLE_COMMAND || t->width[c] <= NARROW)
				continue;
			spare = t->width[c] - NARROW < over ? t->width[c] - NARROW : over;
			t->width[c] -= spare;
			over -= spare;
		}
		if (over == 0 || last == 0)
			break;
	}
	t->width[0] = t->width[0] < columns ? t->width[0] : columns;
}

/* Blanks are not written before it is known that something follows. */
static void
draw_cell(const struct grid *t, int c, const char *text, size_t *blanks, const char *colour)
{
	struct outbox shown = {0};
	int type = t->columns[c].type,
	    right = type == TABLE_NUMBER || type == TABLE_TIME;
	size_t used;

	if (t->width[c] == 0)
		return;
	used = *text == '/' ? add_middle(&shown, text, t->width[c])
	    : add_text(&shown, text, t->width[c]);
	*blanks += right ? t->width[c] - used : 0;
	if (used > 0) {
		outbox_say(t->out, "%*s%s%s%s", (int)*blanks, "", colour, outbox_text(&shown),
		    *colour != '\0' ? "\033[m" : "");
		*blanks = 0;
	}
	*blanks += BETWEEN + (right ? 0 : t->width[c] - used);
	outbox_drop(&shown);
}

/* A row; or with no line the titles, in bold. A colour tells what waits, and what was left. */
static void
draw_row(const struct grid *t, const struct line *line)
{
	const char *colour;
	char text[HUMAN];
	size_t blanks = 0;

	for (int c = 0; t->columns[c].title != NULL; c++) {
		colour = line == NULL ? "\033[1m" : t->columns[c].type != TABLE_STATE ? ""
		    : line->kind == SHEET_WAIT ? "\033[35m"
		    : line->left_behind ? "\033[31m" : "\033[32m";
		draw_cell(t, c, line == NULL ? t->columns[c].title
		    : cell_text(line, t->columns + c, text), &blanks, t->coloured ? colour : "");
	}
	outbox_say(t->out, "%s", t->end);
}

/* The titles and the first rows. A window that is too narrow takes width from the command and the
   path first, then columns from the right. How many rows there are in all. */
static long
draw_table(struct grid *t, int width, long rows)
{
	const struct sheet *sheet = t->sheet;
	long all = measure_columns(t, rows), row = 0;

	if (all == 0 || rows < 0)
		return all;
	if (width > 0)
		fit_columns(t, (size_t)width);
	draw_row(t, NULL);
	for (size_t i = 0; i < sheet->count; i++)
		if (is_row(sheet->list + i) && row++ < rows)
			draw_row(t, sheet->list + i);
	return all;
}

/* Draws the lines of that text, the first one in bold, the others cut between words: how many. */
static int
draw_head(const struct grid *t, const char *at, int columns, int lines)
{
	struct outbox line = {0};
	int drawn = 0;

	for (size_t n, fits; *at != '\0' && drawn < lines; at += n + (at[n] != '\0'), drawn++) {
		n = strcspn(at, "\n");
		if (drawn > 0 && columns > 0 && n > (size_t)columns) {
			for (fits = (size_t)columns; fits > 0 && at[fits] != ' '; fits--)
				;
			n = fits > 0 ? fits : n;
		}
		outbox_add(&line, at, n);
		outbox_say(t->out, "%s", t->coloured && drawn == 0 ? "\033[1m" : "");
		add_text(t->out, outbox_text(&line), columns > 0 ? (size_t)columns : INT_MAX);
		outbox_say(t->out, "%s%s", t->coloured && drawn == 0 ? "\033[m" : "", t->end);
		outbox_drop(&line);
	}
	return drawn;
}

long
view_draw(struct outbox *out, const struct subject *subject, int columns, int lines, int coloured,
    const char *end)
{
	const struct sheet *sheet = &subject->sheet;
	const struct line *first = sheet->list, *last;
	struct grid table = {.sheet = sheet, .columns = all_columns, .out = out,
	    .coloured = coloured, .end = end};
	struct outbox head = {0};
	long room, left;

	if (sheet->count == 0) {
		outbox_say(&head, "no batch and no pool of this user");
	} else if (first->kind == SHEET_POOL) {
		say_pool(&head, subject);
		table.columns = pool_columns;
	} else if (first->kind == SHEET_BATCH) {
		say_batch(&head, first);
		table.columns = batch_columns;
	}
	room = lines - draw_head(&table, outbox_text(&head), columns, lines) - 1;
	outbox_drop(&head);
	left = draw_table(&table, columns, room) - (room < 0 ? 0 : room);
	if (left <= 0)
		return 0;
	if (first->kind == SHEET_POOL) {
		last = first + sheet->count - 1; /* who waits comes last, and is counted */
		left = last->kind != SHEET_WAIT ? -1 : left +
		    sheet_number(first->field[POOL_WAITING]) - sheet_number(last->field[ROW_SLOT]);
	}
	return left;
}
