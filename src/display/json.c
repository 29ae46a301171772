#include <string.h>

#include "display.h"

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
