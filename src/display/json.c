#include <string.h>

#include "../lib/outbox.h"
#include "../lib/utf8.h"
#include "json.h"

void
json_string(struct outbox *out, const char *text, size_t length)
{
	const char *end = text + length;
	size_t n;

	outbox_add(out, "\"", 1);
	for (; text < end; text += n) {
		n = utf8_character(text, (size_t)(end - text));
		if (n == 0) {
			outbox_add(out, "\xef\xbf\xbd", 3);
			n = 1;
		} else if (*text == '"' || *text == '\\')
			outbox_say(out, "\\%c", *text);
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			outbox_say(out, "\\u%04x", (unsigned)*text);
		else
			outbox_add(out, text, n);
	}
	outbox_add(out, "\"", 1);
}

struct reader {
	char *at, *end;
	int (*member)(void *context, const char *name, char *value, size_t length, int is_string);
	void *context;
};

static void
skip_blanks(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' ||
	    *r->at == '\n'))
		r->at++;
}

/* Takes that character, after blanks: 1; 0: another one is next. */
static int
take(struct reader *r, char wanted)
{
	skip_blanks(r);
	if (r->at == r->end || *r->at != wanted)
		return 0;
	r->at++;
	return 1;
}

/* Four digits: 0, or -1. */
static int
take_hex(struct reader *r, unsigned long *code)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *digit;

	if (r->end - r->at < 4)
		return -1;
	*code = 0;
	for (int i = 0; i < 4; i++) {
		if (*r->at == '\0' || (digit = strchr(digits, *r->at)) == NULL)
			return -1;
		*code = *code << 4 | ((unsigned long)(digit - digits) & 15);
		r->at++;
	}
	return 0;
}

/* Takes the digits after \u and, behind the first half of a pair, the second half. */
static int
take_code(struct reader *r, unsigned long *code)
{
	char *after;
	unsigned long low;

	if (take_hex(r, code) != 0)
		return -1;
	after = r->at;
	if (*code >= 0xd800 && *code < 0xdc00 && r->end - r->at >= 2 && r->at[0] == '\\' &&
	    r->at[1] == 'u') {
		r->at += 2;
		if (take_hex(r, &low) != 0)
			return -1;
		if (low >= 0xdc00 && low < 0xe000) {
			*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
			return 0;
		}
		r->at = after;
	}
	if (*code == 0 || (*code >= 0xd800 && *code < 0xe000))
		*code = 0xfffd;
	return 0;
}

/* Writes the character as UTF-8, which is shorter than its escape; returns where it ends. */
static char *
put_code(char *to, unsigned long code)
{
	int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;

	*to++ = (char)(more == 0 ? code : (0xff00ul >> (more + 1) & 0xff) | code >> 6 * more);
	while (more-- > 0)
		*to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
	return to;
}

/* Takes the rest of an escape, after its backslash. */
static int
take_escape(struct reader *r, char **to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *found;
	unsigned long code;
	char c;

	if (r->at == r->end || (c = *r->at++) == '\0')
		return -1;
	if (c == 'u') {
		if (take_code(r, &code) != 0)
			return -1;
		*to = put_code(*to, code);
		return 0;
	}
	if ((found = strchr(from, c)) == NULL)
		return -1;
	*(*to)++ = into[found - from];
	return 0;
}

/* Takes the rest of a string, after its quote, and marks its end by '\0'. */
static int
take_string(struct reader *r, char **text, size_t *length)
{
	char *to = *text = r->at, c = '\0';

	while (r->at < r->end && (c = *r->at++) != '"') {
		if ((unsigned char)c < ' ' || (c == '\\' && take_escape(r, &to) != 0))
			return -1;
		if (c != '\\')
			*to++ = c;
	}
	if (c != '"')
		return -1;
	*to = '\0';
	*length = (size_t)(to - *text);
	return 0;
}

static size_t
digits(const char *text)
{
	return strspn(text, "0123456789");
}

int
json_is_number(const char *text)
{
	size_t n;

	text += *text == '-';
	if ((n = digits(text)) == 0 || (*text == '0' && n > 1))
		return 0;
	text += n;
	if (*text == '.') {
		if ((n = digits(text + 1)) == 0)
			return 0;
		text += n + 1;
	}
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '-' || *text == '+';
		if ((n = digits(text)) == 0)
			return 0;
		text += n;
	}
	return *text == '\0';
}

/* Takes a value that is no string, and the comma or the end of the object behind it. */
static int
take_plain(struct reader *r, char **text, size_t *length, int *last)
{
	char *to = *text = r->at;

	while (to < r->end && *to != '\0' && strchr(" \t\r\n,}", *to) == NULL)
		to++;
	r->at = to;
	*last = take(r, '}');
	if (!*last && !take(r, ','))
		return -1;
	*to = '\0';
	*length = (size_t)(to - *text);
	return json_is_number(*text) || strcmp(*text, "true") == 0 || strcmp(*text, "false") == 0 ||
	    strcmp(*text, "null") == 0 ? 0 : -1;
}

static int
take_member(struct reader *r, int *last)
{
	char *name, *value;
	size_t length;
	int is_string;

	if (!take(r, '"') || take_string(r, &name, &length) != 0 || !take(r, ':'))
		return -1;
	is_string = take(r, '"');
	if (!is_string && take_plain(r, &value, &length, last) != 0)
		return -1;
	if (is_string && take_string(r, &value, &length) != 0)
		return -1;
	if (is_string && !(*last = take(r, '}')) && !take(r, ','))
		return -1;
	return r->member(r->context, name, value, length, is_string);
}

int
json_flat(char *line, size_t length, int (*member)(void *context, const char *name,
    char *value, size_t length, int is_string), void *context)
{
	struct reader r = {line, line + length, member, context};
	int last, told;

	if (!take(&r, '{'))
		return -1;
	last = take(&r, '}');
	while (!last)
		if ((told = take_member(&r, &last)) != 0)
			return told;
	skip_blanks(&r);
	return r.at == r.end ? 0 : -1;
}
