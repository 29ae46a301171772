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
