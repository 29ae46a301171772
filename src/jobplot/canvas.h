/* The sheet on which a picture is drawn: where things are on it. */
#include <stddef.h>

struct logged;
struct outbox;
struct rows;

/* Lengths are pixels, and tenths of them where a name says so. */
enum {
	CANVAS_WIDTH = 1200,
	CANVAS_MARGIN = 20,
	CANVAS_MARKS = 84,     /* of what has failed, above the rows */
	CANVAS_HEAD = 98,      /* where the rows begin */
	CANVAS_PROFILE = 48,   /* height of what is below the rows */
	CANVAS_COLUMN = 7,     /* width of a letter, or less */
	TENTHS = 10
};

struct canvas {
	struct outbox *out;
	const struct logged *jobs;
	const struct rows *rows;
	int left, width;    /* of the plot */
	int row, gap;       /* height of a row, and how much of it stays free */
	int bottom;         /* of the rows */
};

/* Says where things are, by the number of rows and the length of their names. */
void canvas_layout(struct canvas *canvas);
/* Of the whole picture. */
int canvas_height(const struct canvas *canvas);
/* Where that time is, in tenths. */
long canvas_x(const struct canvas *canvas, long long time);
/* A line of text at that place; anchor is "start", "middle" or "end". */
void canvas_write(struct canvas *canvas, double x, double y, const char *class, const char *anchor,
    const char *text);
