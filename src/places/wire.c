#include <string.h>

#include "places.h"

/* How many bytes at the start of text are the token's first ones: 0, or all that are there. */
static size_t
matches(const struct wire *wire, const char *text, size_t length)
{
	size_t whole = strlen(wire->token), most = length < whole ? length : whole;

	return memcmp(text, wire->token, most) == 0 ? most : 0;
}

/* Where the first token begins, or what may become one; or the end. */
static const char *
find(const struct wire *wire, const char *text, const char *end)
{
	while ((text = memchr(text, *wire->token, (size_t)(end - text))) != NULL &&
	    matches(wire, text, (size_t)(end - text)) == 0)
		text++;
	return text == NULL ? end : text;
}

int
wire_next(struct wire *wire, int at_end, const char **text, size_t *length)
{
	const char *start = outbox_bytes(&wire->held), *end = start + outbox_waits(&wire->held);
	const char *at = find(wire, start, end), *line;
	size_t whole = strlen(wire->token), most;

	*text = start;
	*length = (size_t)(at - start);
	if (at > start) {
		outbox_take(&wire->held, *length);
		return 0;
	}
	if (start == end)
		return -1;
	most = (size_t)(end - start);
	most = most < whole + WIRE_WORD ? most : whole + WIRE_WORD;
	line = most > whole ? memchr(start + whole, '\n', most - whole) : NULL;
	if (line == NULL && !at_end && most < whole + WIRE_WORD)
		return -1;
	if (line == NULL) { /* so it begins none; another may begin behind it */
		*length = 1;
		outbox_take(&wire->held, *length);
		return 0;
	}
	*text = start + whole;
	*length = (size_t)(line - *text);
	((char *)line)[0] = '\0';
	outbox_take(&wire->held, (size_t)(line + 1 - start));
	return 1;
}
