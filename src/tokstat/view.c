#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../display/human.h"
#include "../lib/outbox.h"
#include "tokstat.h"

enum { USUAL = 5 /* priority */ };

static const struct column pool_columns[] = {
    {"COMMAND", 0, TABLE_COMMAND, -1}, {"STATE", 0, TABLE_STATE, -1},
    {"TIME", ROW_SECONDS, TABLE_TIME, -1}, {"TOKENS", HOLDER_TOKENS, TABLE_NUMBER, -1},
    {"SHARE", HOLDER_SHARE, TABLE_NUMBER, -1}, {"READY", HOLDER_READY, TABLE_NUMBER, -1},
    {"LABEL", HOLDER_LABEL, TABLE_TEXT, -1}, {"PRIO", HOLDER_PRIORITY, TABLE_NUMBER, USUAL},
    {"PID", ROW_PID, TABLE_NUMBER, 0},
};
static const struct column batch_columns[] = {
    {"COMMAND", 0, TABLE_COMMAND, -1}, {"TIME", ROW_SECONDS, TABLE_TIME, -1},
    {"JOB", RUN_JOB, TABLE_NUMBER, -1}, {"TRY", RUN_TRY, TABLE_NUMBER, 1},
    {"SLOT", ROW_SLOT, TABLE_NUMBER, -1}, {"LABEL", RUN_LABEL, TABLE_TEXT, -1},
    {"PID", ROW_PID, TABLE_NUMBER, 0},
};
static const struct column all_columns[] = {
    {"COMMAND", 0, TABLE_COMMAND, -1}, {"KIND", ENTRY_KIND, TABLE_TEXT, -1},
    {"BUSY", ENTRY_RUNNING, TABLE_NUMBER, -1}, {"OF", ENTRY_SIZE, TABLE_NUMBER, -1},
    {"WAIT", ENTRY_WAITING, TABLE_NUMBER, 0}, {"DONE", ENTRY_DONE, TABLE_NUMBER, -1},
    {"OF", ENTRY_TOTAL, TABLE_NUMBER, -1}, {"FAILED", ENTRY_FAILED, TABLE_NUMBER, 0},
    {"TIME", ENTRY_SECONDS, TABLE_TIME, -1}, {"PID", ENTRY_PID, TABLE_NUMBER, 0},
    {"PATH", ENTRY_PATH, TABLE_PATH, -1},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *
plural(const char *number)
{
	return strcmp(number, "1") == 0 ? "" : "s";
}

static void
say_pool(struct outbox *text, const struct subject *subject)
{
	const struct sheet *sheet = &subject->sheet;
	const char *const *pool = sheet->list->field, *between = "; free: ";
	long resting = sheet_number(sheet->list, POOL_TOKENS) -
	    sheet_number(sheet->list, POOL_OUT) - sheet_number(sheet->list, POOL_FREE);
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
	human_time(mean, sheet_ms(sheet->list, POOL_MEAN));
	human_time(longest, sheet_ms(sheet->list, POOL_LONGEST));
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
	const char *const *batch = line->field;

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
say_batch(struct outbox *text, const struct line *batch)
{
	long long spent = sheet_ms(batch, BATCH_SECONDS), left = sheet_ms(batch, BATCH_LEFT);
	char elapsed[HUMAN], rate[HUMAN], rest[HUMAN];

	outbox_say(text, "%s\n", sheet_command(batch));
	view_state(text, batch);
	if (sheet_number(batch, BATCH_SLOTS) >= 0)
		outbox_say(text, " in %s slot%s", batch->field[BATCH_SLOTS],
		    plural(batch->field[BATCH_SLOTS]));
	human_seconds(elapsed, spent);
	human_rate(rate, sheet_number(batch, BATCH_DONE), spent);
	outbox_say(text, "\n%s elapsed, %s jobs/s", elapsed, rate);
	if (left >= 0) {
		human_seconds(rest, left);
		outbox_say(text, ", about %s left", rest);
	}
	outbox_say(text, "; %s %s", batch->field[BATCH_KIND], batch->field[BATCH_PID]);
	if (strcmp(batch->field[BATCH_PATH], "-") != 0)
		outbox_say(text, ", %s", batch->field[BATCH_PATH]);
}

/* Draws the lines of that text, the first one in bold: how many. */
static int
draw_head(struct outbox *out, const char *at, int columns, int lines, int coloured, const char *end)
{
	struct outbox line = {0};
	int drawn = 0;

	for (size_t n; *at != '\0' && drawn < lines; at += n + (at[n] == '\n'), drawn++) {
		n = strcspn(at, "\n");
		outbox_add(&line, at, n);
		outbox_say(out, "%s", coloured && drawn == 0 ? "\033[1m" : "");
		table_text(out, outbox_text(&line), columns > 0 ? (size_t)columns : INT_MAX);
		outbox_say(out, "%s%s", coloured && drawn == 0 ? "\033[m" : "", end);
		outbox_drop(&line);
	}
	return drawn;
}

long
view_draw(struct outbox *out, const struct subject *subject, int columns, int lines, int coloured,
    const char *end)
{
	const struct sheet *sheet = &subject->sheet;
	enum sheet_kind kind = sheet->count == 0 ? SHEET_ENTRY : sheet->list->kind;
	unsigned kinds = 1u << SHEET_ENTRY;
	const struct column *table = all_columns;
	int count = COUNT(all_columns);
	struct outbox head = {0};
	long room, all;

	if (kind == SHEET_POOL) {
		say_pool(&head, subject);
		table = pool_columns;
		count = COUNT(pool_columns);
		kinds = 1u << SHEET_HOLDER | 1u << SHEET_WAIT;
	} else if (kind == SHEET_BATCH) {
		say_batch(&head, sheet->list);
		table = batch_columns;
		count = COUNT(batch_columns);
		kinds = 1u << SHEET_RUN;
	} else if (sheet->count == 0) {
		outbox_say(&head, "no batch and no pool of this user");
	}
	room = lines - draw_head(out, outbox_text(&head), columns, lines, coloured, end) - 1;
	all = table_draw(out, sheet, table, count, kinds, columns, room, coloured, end);
	outbox_drop(&head);
	return all > room ? all - (room < 0 ? 0 : room) : 0;
}
