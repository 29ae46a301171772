/*
 * A sheet as people read it: a header, titles, and a line for each row, cut at the columns of the
 * screen; or as plain lines, where there is none.
 */
#include <stddef.h>

struct outbox;
struct screen;
struct sheet;

/* More than a sheet tells. */
struct glance {
	const char *fifo;  /* of a pool */
	long long grants;  /* ... in so many ms, at last; -1 ms: not known yet */
	long long ms;
	const char *note;  /* a fault of now, or NULL */
};

enum { VIEW_HEADER = 4 /* rows, with the titles */ };

/* Adds what is to be written to redraw all of that screen. */
void view_draw(struct outbox *out, const struct screen *screen, const struct sheet *sheet,
    const struct glance *glance);
/* Adds plain lines. */
void view_plain(struct outbox *out, const struct sheet *sheet);
/* How a batch stands: "3 of 10 done, 1 failed, 2 running". */
void view_state(struct outbox *out, const struct sheet *sheet);
