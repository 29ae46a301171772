#include <stdio.h>
#include <string.h>

#include "../display/human.h"
#include "../display/screen.h"
#include "../lib/outbox.h"
#include "../lib/utf8.h"
#include "table.h"
#include "sheet.h"
#include "view.h"

enum { LABELS = 16, PLAIN_COMMAND = 79 /* columns */ };

/* The command, "?" where it is not known, after "(left behind) " where that is so. */
static const char *
command_of(const struct line *line, char text[TABLE_TEXT * 4])
{
	const char *command = line->command != NULL ? line->command : "?";

	if (!line->left_behind)
		return command;
	snprintf(text, TABLE_TEXT * 4, "(left behind) %.*s", (int)utf8_cut(command, 300), command);
	return text;
}

/* The pid of who has the token of a slot or build, or "": the tokget that got it may have gone, or
   a dispenser that was killed gave it. */
static const char *
holder_of(const struct line *line, char text[SHEET_NUMBER])
{
	long long pid = sheet_number(line, line->kind == SHEET_BUILD ? BUILD_PID : SLOT_PID);

	if (line->runner > 0 && (line->left_behind || pid == 0))
		pid = line->runner;
	snprintf(text, SHEET_NUMBER, "%lld", pid);
	return pid > 0 ? text : "";
}

/* The widest label, as far as that is allowed, or 0 where nobody has one. */
static size_t
label_width(const struct sheet *sheet, enum sheet_kind kind, int field)
{
	struct outbox text = {0};
	size_t widest = 0, width;

	for (size_t i = 0; i < sheet->count; i++)
		if (sheet->list[i].kind == kind) {
			width = sheet_plain(&text, sheet->list[i].field[field], LABELS);
			widest = width > widest ? width : widest;
		}
	outbox_drop(&text);
	return widest > 0 && widest < sizeof "LABEL" - 1 ? sizeof "LABEL" - 1 : widest;
}

/* Unusual wants of a waiter: 1, or 0 and "". */
static int
wish_of(char text[TABLE_TEXT], const struct line *line)
{
	const char *tokens = line->field[WAIT_TOKENS], *priority = line->field[WAIT_PRIORITY];

	*text = '\0';
	if (strcmp(tokens, "1") != 0)
		snprintf(text, TABLE_TEXT, "wants %.20s", tokens);
	else if (strcmp(priority, "5") != 0)
		snprintf(text, TABLE_TEXT, "priority %.20s", priority);
	return *text != '\0';
}

static void
draw_build(struct table *t, const struct line *line, const struct column *columns, int count)
{
	const char *const *f = line->field;
	struct row row = {.columns = columns, .count = count};
	struct outbox last = {0};
	char command[TABLE_TEXT * 4], pid[SHEET_NUMBER];

	row_put(&row, 0, f[BUILD_SLOT]);
	row_put(&row, 1, "build");
	row_time(&row, 2, sheet_ms(line, BUILD_SECONDS));
	row_put(&row, 3, holder_of(line, pid));
	outbox_say(&last, "share %s, %s out, %s ready", f[BUILD_SHARE], f[BUILD_OUT],
	    f[BUILD_READY]);
	if (strcmp(f[BUILD_PRIORITY], "5") != 0)
		outbox_say(&last, ", priority %s", f[BUILD_PRIORITY]);
	if (line->left_pool != NULL)
		outbox_say(&last, " (left the pool: %s)", line->left_pool);
	outbox_say(&last, "  %s", command_of(line, command));
	row.last = outbox_text(&last);
	table_row(t, &row);
	outbox_drop(&last);
}

static void
draw_pool_row(struct table *t, const struct line *line, const struct column *columns, int count)
{
	struct row row = {.columns = columns, .count = count, .last = ""};
	char text[TABLE_TEXT * 4], pid[SHEET_NUMBER];

	if (line->kind == SHEET_WAIT) {
		row_put(&row, 0, line->field[WAIT_PLACE]);
		row_put(&row, 1, "waits");
		row_time(&row, 2, sheet_ms(line, WAIT_SECONDS));
		row_put(&row, 3, line->field[WAIT_PID]);
		wish_of(row.text[4], line);
		row.last = command_of(line, text);
	} else {
		int out = strcmp(line->field[SLOT_STATE], "out") == 0;

		row_put(&row, 0, line->field[SLOT_NUMBER]);
		row_put(&row, 1, line->field[SLOT_STATE]);
		if (out || sheet_ms(line, SLOT_SECONDS) > 0)
			row_time(&row, 2, sheet_ms(line, SLOT_SECONDS));
		row_put(&row, 3, out && *holder_of(line, pid) == '\0' ? "?" : holder_of(line, pid));
		row_put(&row, 4, line->field[SLOT_LABEL]);
		row.last = out || line->command != NULL ? command_of(line, text) : "";
		row.dim = !out;
	}
	table_row(t, &row);
}

static void
draw_pool(struct table *t, const struct sheet *sheet)
{
	struct column columns[] = {{"SLOT", 5, 1}, {"STATE", 7, 0}, {"TIME", 9, 1}, {"PID", 7, 1},
	    {"LABEL", label_width(sheet, SHEET_SLOT, SLOT_LABEL), 0}, {"COMMAND", 0, 0}};
	int count = sizeof columns / sizeof *columns;
	char wish[TABLE_TEXT];

	for (size_t i = 0; i < sheet->count && columns[4].width == 0; i++)
		if (sheet->list[i].kind == SHEET_WAIT && wish_of(wish, sheet->list + i))
			columns[4].width = sizeof "priority 5" - 1;
	table_titles(t, columns, count);
	for (size_t i = 0; i < sheet->count; i++)
		if (sheet->list[i].kind == SHEET_BUILD)
			draw_build(t, sheet->list + i, columns, count);
		else if (sheet->list[i].kind != SHEET_POOL)
			draw_pool_row(t, sheet->list + i, columns, count);
}

static void
draw_batch(struct table *t, const struct sheet *sheet)
{
	const struct column columns[] = {{"SLOT", 5, 1}, {"TIME", 9, 1}, {"PID", 7, 1},
	    {"JOB", 6, 1}, {"LABEL", label_width(sheet, SHEET_RUN, RUN_LABEL), 0},
	    {"COMMAND", 0, 0}};
	int count = sizeof columns / sizeof *columns;
	char text[TABLE_TEXT * 4];
	const struct line *line;

	table_titles(t, columns, count);
	for (size_t i = 0; i < sheet->count; i++) {
		struct row row = {.columns = columns, .count = count};

		if ((line = sheet->list + i)->kind != SHEET_RUN)
			continue;
		row_put(&row, 0, line->field[RUN_SLOT]);
		row_time(&row, 1, sheet_ms(line, RUN_SECONDS));
		if (line->runner > 0)
			snprintf(row.text[2], TABLE_TEXT, "%ld", (long)line->runner);
		else
			row_put(&row, 2, "?");
		row_put(&row, 3, line->field[RUN_JOB]);
		row_put(&row, 4, line->field[RUN_LABEL]);
		row.last = command_of(line, text);
		table_row(t, &row);
	}
}

static void
put_done(struct row *row, int column, const struct line *line)
{
	const char *done = line->field[ENTRY_DONE], *total = line->field[ENTRY_TOTAL];

	snprintf(row->text[column], TABLE_TEXT, "%.20s%s%.20s", done, *total == '-' ? "" : "/",
	    *total == '-' ? "" : total);
}

static void
draw_entries(struct table *t, const struct sheet *sheet)
{
	static const struct column columns[] = {{"PID", 7, 1}, {"KIND", 5, 0}, {"SIZE", 5, 1},
	    {"BUSY", 5, 1}, {"WAIT", 5, 1}, {"DONE", 9, 1}, {"TIME", 9, 1},
	    {"PATH, COMMAND", 0, 0}};
	int count = sizeof columns / sizeof *columns;
	struct outbox last = {0};

	table_titles(t, columns, count);
	for (size_t i = 0; i < sheet->count; i++) {
		const struct line *line = sheet->list + i;
		const char *const *field = line->field;
		struct row row = {.columns = columns, .count = count};
		int pool = strcmp(field[ENTRY_KIND], "pool") == 0;

		row_put(&row, 0, field[ENTRY_PID]);
		row_put(&row, 1, field[ENTRY_KIND]);
		row_put(&row, 2, field[ENTRY_SIZE]);
		row_put(&row, 3, field[ENTRY_RUNNING]);
		row_put(&row, 4, field[ENTRY_WAITING]);
		put_done(&row, 5, line);
		row_time(&row, 6, sheet_ms(line, ENTRY_SECONDS));
		outbox_say(&last, "%s%s%s", strcmp(field[ENTRY_PATH], "-") == 0 ? ""
		    : field[ENTRY_PATH], strcmp(field[ENTRY_PATH], "-") == 0 ? "" : "  ",
		    pool && *field[ENTRY_SIZE] == '-' ? "(does not answer)  " : "");
		outbox_say(&last, "%s", field[ENTRY_COMMAND]);
		row.last = outbox_text(&last);
		table_row(t, &row);
		outbox_drop(&last);
	}
}

static void
say_scroll(struct outbox *text, const struct sheet *sheet)
{
	long shown = (long)sheet->count - 1;

	if (sheet->rows > shown)
		outbox_say(text, "; rows %ld to %ld of %ld", sheet->from + 1, sheet->from + shown,
		    sheet->rows);
}

static const char *
if_paused(const struct line *pool)
{
	return strcmp(pool->field[POOL_TOKENS], "0") == 0 ? "paused: " : "";
}

static void
say_pool(struct outbox *text, const struct sheet *sheet, const struct glance *glance)
{
	const struct line *pool = sheet->list;
	char mean[HUMAN], longest[HUMAN], rate[HUMAN];

	outbox_say(text, "%s%s tokens, %s out, %s free, %s waiting", if_paused(pool),
	    pool->field[POOL_TOKENS], pool->field[POOL_OUT], pool->field[POOL_FREE],
	    pool->field[POOL_WAITING]);
	say_scroll(text, sheet);
	human_time(mean, sheet_ms(pool, POOL_MEAN));
	human_time(longest, sheet_ms(pool, POOL_LONGEST));
	human_rate(rate, glance->grants, glance->ms);
	outbox_say(text, "\n%s grants/s, waited %s on average, %s at most; %s granted", rate, mean,
	    longest, pool->field[POOL_GRANTED]);
	if (strcmp(pool->field[POOL_RECOVERED], "0") != 0)
		outbox_say(text, ", %s recovered", pool->field[POOL_RECOVERED]);
}

void
view_state(struct outbox *text, const struct sheet *sheet)
{
	const char *const *field = sheet->list->field;

	if (*field[BATCH_DONE] == '-') {
		outbox_say(text, "just begun");
		return;
	}
	outbox_say(text, "%s", field[BATCH_DONE]);
	if (*field[BATCH_TOTAL] != '-')
		outbox_say(text, " of %s", field[BATCH_TOTAL]);
	outbox_say(text, " done, %s failed, %s running", field[BATCH_FAILED], field[BATCH_RUNNING]);
}

static void
say_batch(struct outbox *text, const struct sheet *sheet)
{
	const struct line *batch = sheet->list;
	long long spent = sheet_ms(batch, BATCH_SECONDS), left = sheet_ms(batch, BATCH_LEFT);
	char elapsed[HUMAN], rate[HUMAN], rest[HUMAN];

	view_state(text, sheet);
	if (*batch->field[BATCH_SLOTS] != '-')
		outbox_say(text, " in %s slots", batch->field[BATCH_SLOTS]);
	say_scroll(text, sheet);
	human_seconds(elapsed, spent);
	human_rate(rate, sheet_number(batch, BATCH_DONE), spent);
	outbox_say(text, "\n%s elapsed, %s jobs/s", elapsed, rate);
	if (left >= 0) {
		human_seconds(rest, left);
		outbox_say(text, ", about %s left", rest);
	}
}

static void
say_name(struct outbox *text, const struct sheet *sheet, const struct glance *glance)
{
	const char *const *field = sheet->count > 0 ? sheet->list->field : NULL;
	int path, both;

	if (field == NULL || sheet->list->kind == SHEET_ENTRY)
		outbox_say(text, "%zu batches and pools", sheet->count);
	else if (sheet->list->kind == SHEET_POOL)
		outbox_say(text, "%s", glance->fifo);
	else {
		path = strcmp(field[BATCH_PATH], "-") != 0;
		both = path && *field[BATCH_COMMAND] != '\0';
		outbox_say(text, "%s %s: %s%s%s", field[BATCH_KIND], field[BATCH_PID],
		    path ? field[BATCH_PATH] : "", both ? "  " : "", field[BATCH_COMMAND]);
	}
	if (glance->note != NULL)
		outbox_say(text, "; %s", glance->note);
}

/* Two lines. */
static void
say_figures(struct outbox *text, const struct sheet *sheet, const struct glance *glance)
{
	if (sheet->count > 0 && sheet->list->kind == SHEET_POOL)
		say_pool(text, sheet, glance);
	else if (sheet->count > 0 && sheet->list->kind == SHEET_BATCH)
		say_batch(text, sheet);
}

/* The name of what is shown, in bold, and its figures. */
static void
draw_header(struct table *t, const struct sheet *sheet, const struct glance *glance)
{
	struct outbox name = {0}, text = {0};
	char *line, *next;

	say_name(&name, sheet, glance);
	say_figures(&text, sheet, glance);
	table_words(t, outbox_text(&name), 1);
	outbox_text(&text);
	for (line = text.bytes; *line != '\0'; line = next) {
		next = line + strcspn(line, "\n");
		if (*next != '\0')
			*next++ = '\0';
		table_words(t, line, 0);
	}
	for (int rows = t->rows; t->screen != NULL && rows < VIEW_HEADER - 1; rows++)
		table_words(t, "", 0);
	outbox_drop(&text);
	outbox_drop(&name);
}

static void
draw_rows(struct table *t, const struct sheet *sheet)
{
	switch (sheet->count == 0 ? SHEET_ENTRY : sheet->list->kind) {
	case SHEET_POOL: draw_pool(t, sheet); break;
	case SHEET_BATCH: draw_batch(t, sheet); break;
	default: draw_entries(t, sheet); break;
	}
}

void
view_draw(struct outbox *out, const struct screen *screen, const struct sheet *sheet,
    const struct glance *glance)
{
	struct table t = {.out = out, .screen = screen};

	outbox_say(out, "\033[H");
	draw_header(&t, sheet, glance);
	draw_rows(&t, sheet);
	if (t.rows < screen->rows)
		outbox_say(out, "\r\n\033[J");
}

static void
plain_slot(struct outbox *out, const struct line *line)
{
	const char *const *f = line->field;
	char pid[SHEET_NUMBER];
	size_t used;

	if (strcmp(f[SLOT_STATE], "free") == 0) {
		outbox_say(out, "slot %-5s free    %*s", f[SLOT_NUMBER], 24, "");
		sheet_plain(out, f[SLOT_LABEL], SHEET_ENDLESS);
		return;
	}
	outbox_say(out, "slot %-5s %-7s %8s s  pid %-7s ", f[SLOT_NUMBER], f[SLOT_STATE],
	    f[SLOT_SECONDS], holder_of(line, pid));
	used = sheet_plain(out, f[SLOT_LABEL], SHEET_ENDLESS);
	outbox_say(out, "%*s ", used < 12 ? (int)(12 - used) : 0, "");
}

static void
plain_line(struct outbox *out, const struct line *line)
{
	const char *const *f = line->field;
	char pid[SHEET_NUMBER];

	if (line->kind == SHEET_WAIT)
		outbox_say(out, "wait %-5s         %8s s  pid %-7s tokens %s, priority %s  ",
		    f[WAIT_PLACE], f[WAIT_SECONDS], f[WAIT_PID], f[WAIT_TOKENS],
		    f[WAIT_PRIORITY]);
	else if (line->kind == SHEET_BUILD)
		outbox_say(out, "build %-4s         %8s s  pid %-7s share %s, %s out, %s ready, "
		    "priority %s  ", f[BUILD_SLOT], f[BUILD_SECONDS], holder_of(line, pid),
		    f[BUILD_SHARE], f[BUILD_OUT], f[BUILD_READY], f[BUILD_PRIORITY]);
	else
		plain_slot(out, line);
	if (line->left_behind)
		outbox_say(out, "(left behind) ");
	if (line->left_pool != NULL)
		outbox_say(out, "(left the pool: %s) ", line->left_pool);
	if (line->command != NULL)
		sheet_plain(out, line->command, PLAIN_COMMAND);
	else if (line->kind == SHEET_BUILD || (line->kind == SHEET_SLOT && *f[SLOT_STATE] == 'o'))
		outbox_say(out, "?"); /* out, offered */
	outbox_say(out, "\n");
}

static void
plain_pool(struct outbox *out, const struct sheet *sheet)
{
	const char *const *f = sheet->list->field;

	outbox_say(out, "%s%s tokens, %s free, %s out, %s waiting\n"
	    "granted %s, returned %s, recovered %s; waited %s s at most, %s s on average\n",
	    if_paused(sheet->list), f[POOL_TOKENS], f[POOL_FREE], f[POOL_OUT],
	    f[POOL_WAITING], f[POOL_GRANTED], f[POOL_RETURNED], f[POOL_RECOVERED],
	    f[POOL_LONGEST], f[POOL_MEAN]);
	for (size_t i = 1; i < sheet->count; i++)
		plain_line(out, sheet->list + i);
}

void
view_plain(struct outbox *out, const struct sheet *sheet)
{
	struct table t = {.out = out};

	if (sheet->count == 0)
		outbox_say(out, "no batch and no pool of this user\n");
	else if (sheet->list->kind == SHEET_POOL)
		plain_pool(out, sheet);
	else {
		if (sheet->list->kind == SHEET_BATCH)
			draw_header(&t, sheet, &(struct glance){0});
		draw_rows(&t, sheet);
	}
}
