#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/outbox.h"
#include "../lib/utf8.h"
#include "tag.h"

enum { COLOURS = 6 };

int
tag_coloured(int fd, int asked)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (asked || !isatty(fd))
		return asked;
	return (no == NULL || *no == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

/* Also the control characters above ASCII, and what is no UTF-8. */
static int
is_control(const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;

	return length == 0 || (length == 1 && (*p < ' ' || *p == 0x7f)) ||
	    (length == 2 && *p == 0xc2 && p[1] < 0xa0);
}

static void
add_bare(struct outbox *out, const char *text)
{
	const char *end = text + strlen(text);
	size_t n;

	for (; text < end; text += n) {
		n = utf8_character(text, (size_t)(end - text));
		if (!is_control(text, n)) {
			outbox_add(out, text, n);
			continue;
		}
		n = n == 0 ? 1 : n;
		for (size_t i = 0; i < n; i++) {
			outbox_say(out, "\\x%02x", (unsigned)(unsigned char)text[i]);
		}
	}
}

char *
tag_make(const char *text, long id, int coloured, int bare)
{
	/* green, yellow, blue, magenta, cyan, red: with eight of them on any terminal */
	static const char colours[COLOURS] = {2, 3, 4, 5, 6, 1};
	struct outbox out = {0};

	if (coloured)
		outbox_say(&out, "\033[3%dm", colours[id % COLOURS]);
	if (bare)
		add_bare(&out, text);
	else
		outbox_add(&out, text, strlen(text));
	outbox_say(&out, "%s\t", coloured ? "\033[m" : "");
	outbox_add(&out, "", 1);
	return outbox_whole(&out);
}

ssize_t
tag_lines(struct outbox *box, const char *tag, const char *text, size_t length, int *inside,
    size_t enough)
{
	const char *at = text, *end = text + length, *stop;
	size_t n;

	for (; at < end && outbox_waits(box) < enough; at += n) {
		if (!*inside && outbox_add(box, tag, strlen(tag)) != 0)
			return -1;
		stop = memchr(at, '\n', (size_t)(end - at));
		n = (size_t)((stop == NULL ? end : stop + 1) - at);
		*inside = stop == NULL;
		if (outbox_add(box, at, n) != 0)
			return -1;
	}
	return at - text;
}
