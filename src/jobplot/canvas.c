#include <string.h>

#include "../display/human.h"
#include "../lib/outbox.h"
#include "bars.h"
#include "canvas.h"
#include "figures.h"
#include "markup.h"
#include "rows.h"

enum {
	LEAST_LABELS = 64, MOST_LABELS = 170, ROWS_HEIGHT = 600, LEAST_ROW = 1,
	MOST_ROW = 28, FOOT = 34
};

void
canvas_write(struct canvas *c, double x, double y, const char *class, const char *anchor,
    const char *text)
{
	outbox_say(c->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", class, x,
	    y, anchor);
	markup_text(c->out, text, strlen(text), FIGURE);
	outbox_say(c->out, "</text>\n");
}

long
canvas_x(const struct canvas *c, long long time)
{
	return c->left * TENTHS + bars_x(c->rows, time, (long)c->width * TENTHS);
}

int
canvas_height(const struct canvas *c)
{
	return c->bottom + CANVAS_PROFILE + FOOT;
}

void
canvas_layout(struct canvas *c)
{
	char name[ROW_NAME];
	size_t longest = 0, length;
	int rows = (int)c->rows->count;

	for (size_t i = 0; i < c->rows->count; i++) {
		row_name(name, c->rows->row + i);
		length = strlen(name);
		longest = length > longest ? length : longest;
	}
	c->left = (int)longest * CANVAS_COLUMN + CANVAS_MARGIN;
	c->left = c->left < LEAST_LABELS ? LEAST_LABELS : c->left > MOST_LABELS ? MOST_LABELS
	    : c->left;
	c->width = CANVAS_WIDTH - c->left - CANVAS_MARGIN;
	c->row = ROWS_HEIGHT / rows;
	c->row = c->row < LEAST_ROW ? LEAST_ROW : c->row > MOST_ROW ? MOST_ROW : c->row;
	c->gap = c->row >= 12 ? 3 : c->row >= 6 ? 2 : c->row >= 3 ? 1 : 0;
	c->bottom = CANVAS_HEAD + c->row * rows;
}
