#include <string.h>

#include "lib.h"

/* How many bytes follow the first of a character, or -1; least and most bound the second byte, as a
   form that is longer than need be is no character. */
static int
followers(const unsigned char *p, unsigned char *least, unsigned char *most)
{
	*least = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80;
	*most = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
	return *p < 0x80 ? 0 : *p < 0xc2 ? -1 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : *p < 0xf5 ? 3 : -1;
}

size_t
utf8_character(const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;
	unsigned char least, most;
	int more, i;

	if (length == 0 || (more = followers(p, &least, &most)) < 0 || (size_t)more >= length)
		return 0;
	for (i = 1; i <= more; i++, least = 0x80, most = 0xbf)
		if (p[i] < least || p[i] > most)
			return 0;
	return (size_t)more + 1;
}

int
utf8_is_text(const char *text, size_t length)
{
	const char *end = text + length;
	size_t n;

	for (; text < end; text += n)
		if ((n = utf8_character(text, (size_t)(end - text))) == 0 ||
		    ((unsigned char)*text < ' ' && *text != '\t'))
			return 0;
	return 1;
}

size_t
utf8_cut(const char *text, size_t most)
{
	size_t length = strlen(text);

	if (length <= most)
		return length;
	while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80)
		most--;
	return most;
}
