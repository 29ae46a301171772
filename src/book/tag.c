#include <stdlib.h>
#include <string.h>

#include "../lib/outbox.h"
#include "tag.h"

enum { COLOURS = 6 };

char *
tag_make(const char *text, long id, int coloured, int bare)
{
	/* green, yellow, blue, magenta, cyan, red: with eight of them on any terminal */
	static const char colours[COLOURS] = {2, 3, 4, 5, 6, 1};
	struct outbox out = {0};

	if (coloured)
		outbox_say(&out, "\033[3%dm", colours[id % COLOURS]);
	if (bare)
		outbox_printable(&out, text, strlen(text), (size_t)-1);
	else
		outbox_add(&out, text, strlen(text));
	outbox_say(&out, "%s\t", coloured ? "\033[m" : "");
	outbox_add(&out, "", 1);
	return outbox_whole(&out);
}

int
tag_lines(struct outbox *box, const char *tag, const char *text, size_t length, int *inside)
{
	const char *at = text, *end = text + length, *stop;
	size_t n;

	for (; at < end; at += n) {
		if (!*inside && outbox_add(box, tag, strlen(tag)) != 0)
			return -1;
		stop = memchr(at, '\n', (size_t)(end - at));
		n = (size_t)((stop == NULL ? end : stop + 1) - at);
		*inside = stop == NULL;
		if (outbox_add(box, at, n) != 0)
			return -1;
	}
	return 0;
}
