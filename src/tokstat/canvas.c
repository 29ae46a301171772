#include <stdio.h>

#include "../display/human.h"
#include "../display/screen.h"
#include "../lib/outbox.h"
#include "../lib/utf8.h"
#include "canvas.h"
#include "sheet.h"

static int
colours(const struct canvas *c)
{
	return c->screen != NULL && c->screen->coloured;
}

/* 1, or 0 when there is no row for it. */
static int
begin(struct canvas *c, const char *colour)
{
	if (c->screen != NULL && c->rows >= c->screen->rows)
		return 0;
	if (c->screen != NULL && c->rows > 0)
		outbox_say(c->out, "\r\n");
	c->rows++;
	c->left = c->screen == NULL ? SHEET_ENDLESS : (size_t)c->screen->columns;
	if (colours(c) && *colour != '\0')
		outbox_say(c->out, "\033[%sm", colour);
	return 1;
}

/* In the last column of a full line, to erase the rest would erase that one. */
static void
end(struct canvas *c, const char *colour)
{
	if (colours(c) && *colour != '\0')
		outbox_say(c->out, "\033[m");
	if (c->screen == NULL)
		outbox_add(c->out, "\n", 1);
	else if (c->left > 0)
		outbox_say(c->out, "\033[K");
}

static void
blank(struct canvas *c, size_t columns)
{
	columns = columns < c->left ? columns : c->left;
	outbox_say(c->out, "%*s", (int)columns, "");
	c->left -= columns;
}

void
canvas_words(struct canvas *c, const char *text, int bold)
{
	const char *colour = bold ? "1" : "";

	if (!begin(c, colour))
		return;
	c->left -= sheet_plain(c->out, text, c->left);
	end(c, colour);
}

static void
cell(struct canvas *c, const struct column *column, const char *text, int last)
{
	struct outbox shown = {0};
	size_t width = column->width < c->left && !last ? column->width : c->left, used;

	if (width == 0)
		return;
	used = sheet_plain(&shown, text, width);
	if (column->right)
		blank(c, width - used);
	outbox_say(c->out, "%s", outbox_text(&shown));
	outbox_drop(&shown);
	c->left -= used;
	if (!last && !column->right)
		blank(c, width - used);
	if (!last)
		blank(c, 1);
}

void
canvas_row(struct canvas *c, const struct row *row)
{
	const char *colour = row->dim ? "2" : "";

	if (!begin(c, colour))
		return;
	for (int i = 0; i < row->count; i++)
		cell(c, row->columns + i, i == row->count - 1 ? row->last : row->text[i],
		    i == row->count - 1);
	end(c, colour);
}

void
canvas_titles(struct canvas *c, const struct column *columns, int count)
{
	static const char reverse[] = "7";

	if (!begin(c, reverse))
		return;
	for (int i = 0; i < count; i++)
		cell(c, columns + i, columns[i].title, i == count - 1);
	if (colours(c)) /* the bar goes across the screen */
		blank(c, c->left);
	end(c, reverse);
}

void
row_put(struct row *row, int column, const char *text)
{
	int length = (int)utf8_cut(text, CANVAS_TEXT - 1);

	snprintf(row->text[column], CANVAS_TEXT, "%.*s", length, text);
}

void
row_time(struct row *row, int column, long long ms)
{
	if (ms < 0)
		row_put(row, column, "-");
	else
		human_seconds(row->text[column], ms);
}
