#include <stdlib.h>
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
	for (; text < end; text += n > 0 ? n : 1) {
		n = utf8_character(text, (size_t)(end - text));
		if (n == 0)
			outbox_add(out, "\xef\xbf\xbd", 3);
		else if (*text == '"' || *text == '\\')
			outbox_say(out, "\\%c", *text);
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			outbox_say(out, "\\u%04x", (unsigned)*text);
		else
			outbox_add(out, text, n);
	}
	outbox_add(out, "\"", 1);
}

/* Takes that character, after blanks: 1; 0: another one is next. */
static int
take(char **at, char wanted)
{
	*at += strspn(*at, " \t\r\n");
	if (**at != wanted)
		return 0;
	++*at;
	return 1;
}

/* Takes four digits: 0, or -1. */
static int
take_hex(char **at, unsigned long *code)
{
	char digits[5] = "";

	if (strspn(*at, "0123456789abcdefABCDEF") < 4)
		return -1;
	memcpy(digits, *at, 4);
	*code = strtoul(digits, NULL, 16);
	*at += 4;
	return 0;
}

/* Takes the digits after \u and, behind the first half of a pair, the second half; and writes the
   character as UTF-8, which is shorter than its escape. */
static int
take_code(char **at, char **to)
{
	unsigned long code, low = 0;
	char *after;
	int more;

	if (take_hex(at, &code) != 0)
		return -1;
	if (code >= 0xd800 && code < 0xdc00 && strncmp(*at, "\\u", 2) == 0) {
		after = *at + 2;
		if (take_hex(&after, &low) != 0)
			return -1;
		if (low >= 0xdc00 && low < 0xe000) {
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
			*at = after;
		}
	}
	if (code == 0 || (code >= 0xd800 && code < 0xe000))
		code = 0xfffd;
	more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	*(*to)++ = (char)(more == 0 ? code : (0xff00ul >> (more + 1) & 0xff) | code >> 6 * more);
	while (more-- > 0)
		*(*to)++ = (char)(0x80 | (code >> 6 * more & 0x3f));
	return 0;
}

/* Takes the rest of a string, after its quote: where its text ends now, or NULL. */
static char *
take_string(char **at)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	char *to = *at, c;
	const char *found;

	while ((c = *(*at)++) != '"') {
		if ((unsigned char)c < ' ')
			return NULL;
		if (c != '\\')
			*to++ = c;
		else if ((c = *(*at)++) == 'u') {
			if (take_code(at, &to) != 0)
				return NULL;
		} else if (c != '\0' && (found = strchr(from, c)) != NULL)
			*to++ = into[found - from];
		else
			return NULL;
	}
	*to = '\0';
	return to;
}

/* What strtod(3) takes, but for forms that JSON does not have. */
int
json_is_number(const char *text)
{
	static const char digits[] = "0123456789";
	const char *point = strchr(text, '.');
	size_t n = strspn(text + (*text == '-'), digits);
	char *end;

	if (n == 0 || (text[*text == '-'] == '0' && n > 1) || (point != NULL &&
	    strspn(point + 1, digits) == 0) || text[strspn(text, "+-.eE0123456789")] != '\0')
		return 0;
	strtod(text, &end);
	return *end == '\0';
}

int
json_flat(char *line, size_t length, int (*member)(void *context, const char *name,
    char *value, size_t length, int is_string), void *context)
{
	char *at = line, *name, *value, *end;
	int is_string, last, told;

	if (!take(&at, '{'))
		return -1;
	for (last = take(&at, '}'); !last;) {
		if (!take(&at, '"'))
			return -1;
		name = at;
		if (take_string(&at) == NULL || !take(&at, ':'))
			return -1;
		is_string = take(&at, '"');
		value = at;
		if (is_string && (end = take_string(&at)) == NULL)
			return -1;
		if (!is_string)
			at = end = value + strcspn(value, " \t\r\n,}");
		last = take(&at, '}');
		if (!last && !take(&at, ','))
			return -1;
		*end = '\0';
		if (!is_string && !json_is_number(value) && strcmp(value, "true") != 0 &&
		    strcmp(value, "false") != 0 && strcmp(value, "null") != 0)
			return -1;
		told = member(context, name, value, (size_t)(end - value), is_string);
		if (told != 0)
			return told;
	}
	return at + strspn(at, " \t\r\n") >= line + length ? 0 : -1;
}
