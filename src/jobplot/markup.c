#include <string.h>

#include "../lib/outbox.h"
#include "../lib/utf8.h"
#include "markup.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define REPLACEMENT "\xef\xbf\xbd"

static const char *
escape(char c)
{
	return c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;"
	    : (unsigned char)c < ' ' && c != '\n' && c != '\t' ? REPLACEMENT : NULL;
}

/* Adds the first character, and returns its length in the text. */
static size_t
add_character(struct outbox *out, const char *text, size_t length)
{
	size_t n = utf8_character(text, length);
	const char *instead = escape(*text);

	/* XML has no U+FFFE and U+FFFF. */
	if (n == 0 || (n == 3 && memcmp(text, "\xef\xbf\xbe", 3) >= 0 &&
	    memcmp(text, "\xef\xbf\xbf", 3) <= 0))
		instead = REPLACEMENT;
	if (instead != NULL)
		outbox_add(out, instead, strlen(instead));
	else
		outbox_add(out, text, n);
	return n == 0 ? 1 : n;
}

void
markup_text(struct outbox *out, const char *text, size_t length, size_t most)
{
	const char *end = text + length;
	size_t before = outbox_waits(out);

	while (text < end && outbox_waits(out) - before < most)
		text += add_character(out, text, (size_t)(end - text));
	if (text < end)
		outbox_add(out, ELLIPSIS, strlen(ELLIPSIS));
}

/* Characters beyond ASCII may be wide. */
static size_t
width(const char *text)
{
	return (unsigned char)*text < 0x80 ? 1 : 2;
}

/* How many bytes fit into that many columns. */
static size_t
fits(const char *text, size_t length, size_t columns)
{
	size_t at = 0, n, used = 0;

	for (; at < length; at += n == 0 ? 1 : n) {
		n = utf8_character(text + at, length - at);
		if ((used += width(text + at)) > columns)
			break;
	}
	return at < length ? at : length;
}

void
markup_columns(struct outbox *out, const char *text, size_t length, size_t columns)
{
	size_t most = fits(text, length, columns), at = 0;

	if (most < length)
		most = fits(text, length, columns - 1);
	while (at < most) {
		if (text[at] == '\n' || text[at] == '\t') {
			outbox_add(out, " ", 1);
			at++;
		} else
			at += add_character(out, text + at, length - at);
	}
	if (most < length)
		outbox_add(out, ELLIPSIS, strlen(ELLIPSIS));
}

void
markup_tenths(struct outbox *out, long tenths)
{
	if (tenths < 0) {
		outbox_add(out, "-", 1);
		tenths = -tenths;
	}
	if (tenths % 10 == 0)
		outbox_say(out, "%ld", tenths / 10);
	else
		outbox_say(out, "%ld.%ld", tenths / 10, tenths % 10);
}

void
markup_box(struct outbox *out, long x, long y, long w, long h)
{
	outbox_add(out, "M", 1);
	markup_tenths(out, x);
	outbox_add(out, " ", 1);
	markup_tenths(out, y);
	outbox_add(out, "h", 1);
	markup_tenths(out, w);
	outbox_add(out, "v", 1);
	markup_tenths(out, h);
	outbox_add(out, "h", 1);
	markup_tenths(out, -w);
	outbox_add(out, "z", 1);
}
