#include <stdlib.h>
#include <string.h>

#include "ground.h"
#include "lines.h"

static void
add(struct lines *lines)
{
	static const struct line empty;
	struct line *line;

	if ((lines->list = realloc(lines->list, (lines->count + 1) * sizeof *lines->list)) == NULL)
		wrong("no memory");
	line = lines->list + lines->count++;
	*line = empty;
	line->text = lines->half;
	line->length = lines->length;
	lines->half = NULL;
	lines->length = 0;
}

void
lines_end(struct lines *lines)
{
	if (lines->length > 0)
		add(lines);
}

void
lines_take(struct lines *lines, const char *bytes, size_t size)
{
	const char *end;
	size_t n;

	while (size > 0) {
		end = memchr(bytes, '\n', size);
		n = end == NULL ? size : (size_t)(end - bytes);
		if ((lines->half = realloc(lines->half, lines->length + n + 1)) == NULL)
			wrong("no memory");
		memcpy(lines->half + lines->length, bytes, n);
		lines->half[lines->length += n] = '\0';
		if (end == NULL)
			return;
		add(lines);
		bytes += n + 1;
		size -= n + 1;
	}
}

void
lines_free(struct lines *lines)
{
	while (lines->count > 0)
		free(lines->list[--lines->count].text);
	free(lines->list);
	free(lines->half);
}
