#include <stdlib.h>
#include <string.h>

#include "jobctl.h"

enum { PARTS = PLACE_SLOT + 1 };

/* The text before the brace that closes. */
static const char *const parts[PARTS] = {"", ".", "/", "//", "/.", "#", "%"};

/* The number at *text, which is then behind it; 0: none, and not 0 itself, for that is no place. */
static long
number_at(const char **text)
{
	char *end = (char *)*text + (**text == '-');
	long number = *end >= '0' && *end <= '9' ? strtol(*text, &end, 10) : 0;

	if (number != 0)
		*text = end;
	return number;
}

int
place_at(const char *text, const char *replace, struct place *place)
{
	const char *at = text + 1;
	size_t length = replace == NULL ? 0 : strlen(replace);

	*place = (struct place){.length = 0};
	if (length > 0 && strncmp(text, replace, length) == 0) {
		place->length = length;
		return 1;
	}
	if (*text != '{')
		return 0;
	place->number = number_at(&at);
	for (int i = 0; i < PARTS; i++) {
		size_t n = strlen(parts[i]);

		if (strncmp(at, parts[i], n) != 0 || at[n] != '}')
			continue;
		if (place->number == 0 ? i == PLACE_WHOLE && length > 0 : i >= PLACE_ID)
			return 0;
		place->part = (enum place_part)i;
		place->length = (size_t)(at + n + 1 - text);
		return 1;
	}
	return 0;
}

size_t
place_find(const char *text, const char *replace, struct place *place)
{
	char begin[] = {'{', replace == NULL ? '{' : *replace, '\0'};
	const char *at = text;

	for (; *(at += strcspn(at, begin)) != '\0'; at++)
		if (place_at(at, replace, place))
			return (size_t)(at - text);
	place->length = 0;
	return (size_t)(at - text);
}

int
place_is_each(const struct place *place)
{
	return place->number == 0 && place->part < PLACE_ID;
}

/* That argument, or NULL. */
static const char *
numbered(const struct arguments *given, long number)
{
	const char *text = given->text;

	if (number < 0)
		number += given->count + 1;
	if (number < 1 || number > given->count)
		return NULL;
	while (--number > 0)
		text += strlen(text) + 1;
	return text;
}

static const char *
base_of(const char *text)
{
	const char *slash = strrchr(text, '/');

	return slash == NULL ? text : slash + 1;
}

/* Without ".gz" of "a/b.gz"; ".profile" has no extension. */
static size_t
stem_of(const char *text)
{
	const char *base = base_of(text), *dot = strrchr(base, '.');

	return dot == NULL || dot == base ? strlen(text) : (size_t)(dot - text);
}

size_t
place_value(const struct place *place, const struct arguments *given, const char *each,
    const char **from)
{
	const char *text = place->number == 0 ? each : numbered(given, place->number), *base;

	*from = text == NULL ? "" : text;
	if (text == NULL)
		return 0;
	base = base_of(text);
	switch (place->part) {
	case PLACE_STEM: return stem_of(text);
	case PLACE_BASE: *from = base; return strlen(base);
	case PLACE_BASE_STEM: *from = base; return stem_of(base);
	case PLACE_DIRECTORY:
		if (base - text > 1)
			return (size_t)(base - text) - 1;
		*from = base == text ? "." : "/";
		return 1;
	default: return strlen(text);
	}
}
