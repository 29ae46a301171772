/*
 * jobctl's input: a pipe, in pieces. The first byte is the separator's lowest bit, and how
 * long the pieces are. The bytes that come out are those that went in.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/lib/lib.h"
#include "ground.h"

struct source {
	const unsigned char *at;
	size_t left, piece;
	int into;
};

/* The next piece, or the end. */
static void
give(struct source *source)
{
	size_t n = source->left < source->piece ? source->left : source->piece;

	if (n > 0 && write(source->into, source->at, n) != (ssize_t)n)
		wrong("the pipe is full");
	source->at += n;
	source->left -= n;
	if (n == 0 && source->into >= 0) {
		close(source->into);
		source->into = -1;
	}
}

static void
check(const unsigned char *whole, size_t size, const char *line, size_t length, char separator)
{
	if (length > size || memcmp(whole, line, length) != 0)
		wrong("a line of %zu bytes that are others", length);
	if (line[length] != '\0' || memchr(line, separator, length) != NULL)
		wrong("a line without its end");
	if (length < size && whole[length] != (unsigned char)separator)
		wrong("a line that ends too soon");
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct source source = {0};
	struct feed feed;
	int ends[2], more;
	char *line;
	size_t length, taken = 0;

	if (size == 0 || pipe(ends) != 0 || feed_open(&feed, NULL, data[0] & 1 ? '\n' : '\0') != 0)
		return 0;
	feed.fd = ends[0];
	feed.own = 1;
	source.piece = data[0] / 2 + 1u;
	source.at = ++data;
	source.left = --size;
	source.into = ends[1];
	while ((more = feed_line(&feed, &line, &length)) >= 0)
		if (more == 0) {
			give(&source);
			if (feed_fill(&feed) != 0)
				wrong("nothing can be read");
		} else {
			check(data + taken, size - taken, line, length, feed.separator);
			taken += length + (taken + length < size);
		}
	if (taken != size)
		wrong("%zu bytes of %zu", taken, size);
	if (source.into >= 0)
		close(source.into);
	feed_close(&feed);
	return 0;
}
