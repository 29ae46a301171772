/*
 * Lines of columns, for a screen or without end. Each is cut at the columns of the screen, between
 * characters, and has no more than a screen has rows.
 */
#include <stddef.h>

struct outbox;
struct screen;

enum { TABLE_COLUMNS = 10, TABLE_TEXT = 96 };

struct table {
	struct outbox *out;
	const struct screen *screen; /* NULL: plain lines */
	size_t left;                 /* columns of this line */
	int rows;                    /* that were begun */
};

struct column {
	const char *title;
	size_t width; /* 0: there is no such column, but of the last: as much as is left */
	int right;    /* aligned there */
};

/* The columns of a row. */
struct row {
	const struct column *columns;
	int count;
	char text[TABLE_COLUMNS][TABLE_TEXT];
	const char *last; /* of the last column */
	int dim;
};

/* Adds a line of text; bold where there are colours. */
void table_words(struct table *table, const char *text, int bold);
/* Adds a line with the titles. */
void table_titles(struct table *table, const struct column *columns, int count);
/* Adds a row. */
void table_row(struct table *table, const struct row *row);
/* Puts text, or a time in ms, -1 for none, into a column. */
void row_put(struct row *row, int column, const char *text);
void row_time(struct row *row, int column, long long ms);
