#include <stdio.h>
#include <string.h>

#include "lib.h"

enum { ESCAPED = 4 /* columns of \xNN */ };

/* wcwidth(3) depends on the locale, and a program's may differ from its terminal's. So these are
   the ranges of Unicode 15 that take no column, or two; rare ones are left out. */
struct range {
	unsigned long first, last;
};
static const struct range none[] = {
    {0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd}, {0x610, 0x61a}, {0x64b, 0x65f}, {0x6d6, 0x6dc},
    {0x900, 0x902}, {0x93c, 0x93c}, {0x941, 0x948}, {0x94d, 0x94d}, {0xe31, 0xe31}, {0xe34, 0xe3a},
    {0xe47, 0xe4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2060, 0x2064},
    {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0x1f3fb, 0x1f3ff},
    {0xe0000, 0xe01ef}};
static const struct range two[] = {
    {0x1100, 0x115f}, {0x231a, 0x231b}, {0x23e9, 0x23ec}, {0x25fd, 0x25fe}, {0x2614, 0x2615},
    {0x2648, 0x2653}, {0x26a1, 0x26a1}, {0x26bd, 0x26be}, {0x26c4, 0x26c5}, {0x26d4, 0x26d4},
    {0x26f2, 0x26f3}, {0x2705, 0x2705}, {0x270a, 0x270b}, {0x2728, 0x2728}, {0x274c, 0x274c},
    {0x2753, 0x2755}, {0x2795, 0x2797}, {0x2b1b, 0x2b1c}, {0x2b50, 0x2b50}, {0x2e80, 0x303e},
    {0x3041, 0x33ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xa000, 0xa4cf}, {0xa960, 0xa97c},
    {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6},
    {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f393},
    {0x1f3a0, 0x1f3fa}, {0x1f400, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc},
    {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6df}, {0x1f6eb, 0x1f6fc}, {0x1f7e0, 0x1f7f0},
    {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

static int
is_in(const struct range *ranges, size_t count, unsigned long c)
{
	for (size_t i = 0; i < count; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return 1;
	return 0;
}

/* Controls, and characters that turn the direction of the text behind them. */
static int
is_control(unsigned long c)
{
	return c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200e && c <= 0x200f) ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* The code of a character of that many bytes. */
static unsigned long
code(const char *text, size_t n)
{
	unsigned long c = (unsigned char)*text;

	if (n > 1)
		c &= 0x7fu >> n;
	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)text[i] & 0x3f);
	return c;
}

static size_t
width(unsigned long c)
{
	if (c < 0x300)
		return 1;
	return is_in(none, sizeof none / sizeof *none, c) ? 0
	    : is_in(two, sizeof two / sizeof *two, c) ? 2 : 1;
}

size_t
printable_one(char shown[PRINTABLE_ONE], const char *text, size_t length, size_t *n,
    size_t *columns)
{
	size_t there = utf8_character(text, length);

	*n = there > 0 ? there : 1;
	if (there > 0 && !is_control(code(text, there))) {
		*columns = width(code(text, there));
		memcpy(shown, text, there);
		return there;
	}
	for (size_t i = 0; i < *n; i++)
		snprintf(shown + i * ESCAPED, ESCAPED + 1, "\\x%02x", (unsigned char)text[i]);
	return *columns = *n * ESCAPED;
}

size_t
printable_cut(char *to, size_t room, const char *text)
{
	const char *end = text + strlen(text);
	size_t n, bytes, columns, used = 0;
	char shown[PRINTABLE_ONE];

	for (; text < end; text += n, used += bytes) {
		bytes = printable_one(shown, text, (size_t)(end - text), &n, &columns);
		if (bytes > room - used)
			break;
		memcpy(to + used, shown, bytes);
	}
	return used;
}
