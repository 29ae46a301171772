/* Bars of a picture: a job each; or many jobs of a row that begin within the same pixel. */
#include <stddef.h>

struct logged;
struct rows;

struct bar {
	long x, width;         /* in tenths of a pixel, from the first start on */
	size_t row;
	size_t first, count;   /* its jobs */
	size_t results[3];     /* how many of them, by enum result */
	int worst;             /* the last of these that is not 0 */
};

struct bars {
	struct bar *bar;       /* by rows, and their x */
	size_t count, room;
};

/* Makes them, for a picture that is this many tenths of a pixel wide; for very many jobs pixels are
   taken together. 0, or -1 without memory. */
int bars_make(struct bars *bars, const struct logged *jobs, const struct rows *rows, long width);
void bars_free(struct bars *bars);
/* Where a time is, in tenths of a pixel. */
long bars_x(const struct rows *rows, long long time, long width);
