/*
 * Written text in lines: bytes of any kind but newlines, with a NUL behind them.
 *
 * lines_take() takes the next bytes, lines_end() the last line, should its newline be
 * missing. lines_free() frees all.
 */
#include <stddef.h>

struct line {
	char *text;
	size_t length;
	size_t place; /* the two are the caller's */
	int used;
};

struct lines {
	struct line *list;
	size_t count;
	char *half;    /* the start of a line without its newline yet, and its length */
	size_t length;
};

void lines_take(struct lines *lines, const char *bytes, size_t size);
void lines_end(struct lines *lines);
void lines_free(struct lines *lines);
