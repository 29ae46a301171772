#include <string.h>

#include "meaning.h"
#include "quote.h"

/* Before what a shell acts on: nothing quoted has this byte, for a NUL there is a newline. */
enum { MARK = '\0', EMPTY = '\'', AS_IT_IS = '"' };

struct reader {
	const char *at, *end;
	unsigned long long hash;
	int quoted, filled; /* the current word has quotes; it has anything in it */
};

/* FNV-1a, 64 bits. */
static void
add(struct reader *r, char c)
{
	r->hash = (r->hash ^ (unsigned char)c) * 1099511628211ULL;
	r->filled = 1;
}

static void
add_quoted(struct reader *r, const char *text, size_t n)
{
	for (; n > 0; text++, n--)
		add(r, *text == '\0' ? '\n' : *text); /* parallel writes a newline so */
	r->quoted = 1;
}

/* A word that is empty, but is there. */
static void
end_word(struct reader *r)
{
	if (r->quoted && !r->filled) {
		add(r, MARK);
		add(r, EMPTY);
	}
}

/* 1 for a byte that a shell acts on elsewhere, but not here, outside of quotes; at is past it. */
static int
is_itself(const struct reader *r, char c)
{
	int begins = !r->filled && !r->quoted;
	int ends = r->at == r->end || *r->at == ' ';

	switch (c) {
	case '!': case ']': case '^': case '}': return 1;
	case '#': case '~': return !begins && strchr(":=", r->at[-2]) == NULL;
	case '[': case '{': return begins && ends;
	}
	return 0;
}

/* A byte outside of quotes: UTF-8 means the same there. */
static void
add_bare(struct reader *r, char c)
{
	if (c != '\0' && ((c & 0x80) || strchr(QUOTE_PLAIN, c) != NULL || is_itself(r, c))) {
		add(r, c);
		return;
	}
	end_word(r);
	add(r, MARK);
	add(r, c == '\0' ? '\n' : c);
	r->quoted = r->filled = 0;
}

static int
skips(struct reader *r, const char *what, size_t n)
{
	if ((size_t)(r->end - r->at) < n || memcmp(r->at, what, n) != 0)
		return 0;
	r->at += n;
	return 1;
}

/* Of what a shell acts on within double quotes. */
static int
has_special(const char *text, const char *end)
{
	while (text < end && (*text == '\0' || strchr("$`\\!", *text) == NULL))
		text++;
	return text < end;
}

/* Takes what is quoted next: 1; 0 when nothing is; -1 when it is in quotes that neither writes for
   a word: then where words end is not certain. */
static int
take_quoted(struct reader *r)
{
	const char *open = r->at + 1, *close;
	size_t left = (size_t)(r->end - open);

	if (skips(r, QUOTE_NEWLINE, sizeof QUOTE_NEWLINE - 1)) {
		add_quoted(r, "\n", 1);
	} else if (skips(r, "\"'\"", 3)) {
		add_quoted(r, "'", 1);
	} else if (*r->at == '"' && (close = memchr(open, '"', left)) != NULL &&
	    !has_special(open, close)) {
		add_quoted(r, open, (size_t)(close - open));
		r->at = close + 1;
	} else if (*r->at == '\'' && (close = memchr(open, '\'', left)) != NULL) {
		add_quoted(r, open, (size_t)(close - open));
		r->at = close + 1;
	} else if (*r->at == '\\' && left > 0 && strchr(QUOTE_PLAIN, *open) == NULL) {
		add_quoted(r, open, 1);
		r->at += 2;
	} else {
		return *r->at == '\'' || *r->at == '"' ? -1 : 0;
	}
	return 1;
}

unsigned long long
meaning_hash(const char *text, size_t length, unsigned long long seed)
{
	struct reader r = {.at = text, .end = text + length,
	    .hash = seed ^ 14695981039346656037ULL};
	int quoted = 0;

	while (r.at < r.end && (quoted = take_quoted(&r)) >= 0)
		if (!quoted)
			add_bare(&r, *r.at++);
	if (quoted >= 0) {
		end_word(&r);
		return r.hash;
	}
	r.hash = seed;
	add(&r, MARK);
	add(&r, AS_IT_IS);
	for (size_t i = 0; i < length; i++)
		add(&r, text[i]);
	return r.hash;
}
