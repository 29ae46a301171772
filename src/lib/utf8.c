#include "utf8.h"

/* Bytes after the first in a character that begins like this, or -1; least and most are for
   the second: what is longer than need be is no character. */
static int
followers(const unsigned char *p, unsigned char *least, unsigned char *most)
{
	*least = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80;
	*most = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
	return *p < 0x80 ? 0 : *p < 0xc2 ? -1 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : *p < 0xf5 ? 3 : -1;
}

int
utf8_is_text(const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + length;
	unsigned char least, most;
	int more;

	while (p < end) {
		more = followers(p, &least, &most);
		if (more < 0 || more >= end - p || (*p < ' ' && *p != '\t'))
			return 0;
		for (p++; more > 0; more--, p++, least = 0x80, most = 0xbf)
			if (*p < least || *p > most)
				return 0;
	}
	return 1;
}
