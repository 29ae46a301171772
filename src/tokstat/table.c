#include <stdio.h>

#include "../display/human.h"
#include "../display/screen.h"
#include "../lib/outbox.h"
#include "../lib/utf8.h"
#include "table.h"
#include "sheet.h"

static int
colours(const struct table *t)
{
	return t->screen != NULL && t->screen->coloured;
}

/* 1, or 0 when there is no row for it. */
static int
begin(struct table *t, const char *colour)
{
	if (t->screen != NULL && t->rows >= t->screen->rows)
		return 0;
	if (t->screen != NULL && t->rows > 0)
		outbox_say(t->out, "\r\n");
	t->rows++;
	t->left = t->screen == NULL ? SHEET_ENDLESS : (size_t)t->screen->columns;
	if (colours(t) && *colour != '\0')
		outbox_say(t->out, "\033[%sm", colour);
	return 1;
}

/* In the last column of a full line, to erase the rest would erase that one. */
static void
end(struct table *t, const char *colour)
{
	if (colours(t) && *colour != '\0')
		outbox_say(t->out, "\033[m");
	if (t->screen == NULL)
		outbox_add(t->out, "\n", 1);
	else if (t->left > 0)
		outbox_say(t->out, "\033[K");
}

static void
blank(struct table *t, size_t columns)
{
	columns = columns < t->left ? columns : t->left;
	outbox_say(t->out, "%*s", (int)columns, "");
	t->left -= columns;
}

void
table_words(struct table *t, const char *text, int bold)
{
	const char *colour = bold ? "1" : "";

	if (!begin(t, colour))
		return;
	t->left -= sheet_plain(t->out, text, t->left);
	end(t, colour);
}

static void
cell(struct table *t, const struct column *column, const char *text, int last)
{
	struct outbox shown = {0};
	size_t width = column->width < t->left && !last ? column->width : t->left, used;

	if (width == 0)
		return;
	used = sheet_plain(&shown, text, width);
	if (column->right)
		blank(t, width - used);
	outbox_say(t->out, "%s", outbox_text(&shown));
	outbox_drop(&shown);
	t->left -= used;
	if (!last && !column->right)
		blank(t, width - used);
	if (!last)
		blank(t, 1);
}

void
table_row(struct table *t, const struct row *row)
{
	const char *colour = row->dim ? "2" : "";

	if (!begin(t, colour))
		return;
	for (int i = 0; i < row->count; i++)
		cell(t, row->columns + i, i == row->count - 1 ? row->last : row->text[i],
		    i == row->count - 1);
	end(t, colour);
}

void
table_titles(struct table *t, const struct column *columns, int count)
{
	static const char reverse[] = "7";

	if (!begin(t, reverse))
		return;
	for (int i = 0; i < count; i++)
		cell(t, columns + i, columns[i].title, i == count - 1);
	if (colours(t)) /* the bar goes across the screen */
		blank(t, t->left);
	end(t, reverse);
}

void
row_put(struct row *row, int column, const char *text)
{
	int length = (int)utf8_cut(text, TABLE_TEXT - 1);

	snprintf(row->text[column], TABLE_TEXT, "%.*s", length, text);
}

void
row_time(struct row *row, int column, long long ms)
{
	if (ms < 0)
		row_put(row, column, "-");
	else
		human_seconds(row->text[column], ms);
}
