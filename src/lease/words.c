#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lease.h"

enum {
	BLOCK = 8192,    /* bytes at a time */
	LONGEST = 4096,  /* a line that is longer is junk */
	BLOCKS = 16      /* in one call: others want to be served too */
};

struct cursor {
	char *at, *end, *text;
	const char *marks;
	size_t length;
};

static int
is_mark(const char *marks, char c)
{
	return c != '\0' && strchr(marks, c) != NULL;
}

/* From the mark to the newline. The line is junk if the block ends before that or, in an inlet,
   which many write to, if another mark comes before. */
static enum word
take_line(struct cursor *c)
{
	static const enum word words[] = {WORD_LINE, WORD_STATUS, WORD_AFTER, WORD_FATE,
	    WORD_PID};
	enum word word = words[strchr(c->marks, *c->at) - c->marks];
	char other = c->marks[1] == '\0' ? c->marks[0] : '\n';

	c->text = ++c->at;
	while (c->at < c->end && *c->at != '\n' && *c->at != other)
		c->at++;
	c->length = (size_t)(c->at - c->text);
	if (c->at == c->end || *c->at != '\n')
		return WORD_JUNK;
	c->at++;
	return word;
}

static enum word
next(struct cursor *c)
{
	char byte;

	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' ||
	    *c->at == '\r'))
		c->at++;
	if (c->at == c->end)
		return WORD_END;
	if (is_mark(c->marks, *c->at))
		return take_line(c);
	byte = *c->at++;
	if (byte == '+')
		return WORD_BEGUN;
	if (byte == 'S')
		return WORD_STOP;
	return isalpha((unsigned char)byte) ? WORD_RETURN : WORD_JUNK;
}

static int
is_clean(struct cursor c)
{
	enum word word;

	while ((word = next(&c)) != WORD_END)
		if (word == WORD_JUNK)
			return 0;
	return 1;
}

static void
hand_over(struct cursor c, word_taker *take, void *context)
{
	int clean = is_clean(c);
	enum word word;

	while ((word = next(&c)) != WORD_END) {
		if (word >= WORD_LINE && word <= WORD_PID)
			c.text[c.length] = '\0'; /* it was the newline */
		take(context, word, c.text, c.length, clean);
	}
}

/* How many bytes at the end of a block begin a line whose rest is still to be read. */
static size_t
unfinished(const char *block, size_t used, const char *marks)
{
	size_t begun = 0;

	for (size_t i = 0; i < LONGEST && i < used; i++) {
		if (block[used - 1 - i] == '\n')
			return begun;
		if (is_mark(marks, block[used - 1 - i]))
			begun = i + 1;
	}
	return begun;
}

int
words_read(int fd, const char *marks, word_taker *take, void *context)
{
	char block[BLOCK];
	size_t used = 0, rest;
	struct cursor cursor = {0};
	ssize_t n = 1;
	int last; /* only the rest of a line is still read */

	cursor.marks = marks;
	for (int blocks = 0; n > 0 && (blocks < BLOCKS || used > 0); blocks++) {
		last = blocks >= BLOCKS;
		do {
			n = read(fd, block + used, last ? 1 : sizeof block - used);
			if (n > 0)
				used += (size_t)n;
		} while (n < 0 ? errno == EINTR
		    : n > 0 && last && used < sizeof block && block[used - 1] != '\n');
		rest = n > 0 && used == sizeof block ? unfinished(block, used, marks) : 0;
		cursor.at = block;
		cursor.end = block + used - rest;
		hand_over(cursor, take, context);
		memmove(block, block + used - rest, rest);
		used = rest;
	}
	return n != 0;
}
