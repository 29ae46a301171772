#define _REGEX_NELTS(n) /* glibc's prototype has an array that tcc does not understand */
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "jobctl.h"

#define BLANK " \t\r\n\v\f"

/* With \t and \s, which people write, in words that regcomp(3) knows. */
static char *
translated(const char *text)
{
	struct outbox out = {0};
	int inside = 0; /* brackets */

	for (; *text != '\0'; text++) {
		inside = inside ? *text != ']' : *text == '[';
		if (*text != '\\' || text[1] == '\0')
			outbox_add(&out, text, 1);
		else if (*++text == 't' || *text == 's')
			outbox_say(&out, *text == 't' ? "\t" : inside ? "[:space:]"
			    : "[[:space:]]");
		else
			outbox_add(&out, text - 1, 2);
	}
	outbox_add(&out, "", 1);
	return need_memory(outbox_whole(&out));
}

/* Where a line is split into columns: a regular expression, as regcomp(3) has them in egrep(1). */
static regex_t *
open_columns(const char *expression)
{
	regex_t *columns = need_memory(calloc(1, sizeof *columns));
	char *text = translated(expression), reason[256];
	int error;

	if ((error = regcomp(columns, text, REG_EXTENDED)) != 0) {
		regerror(error, columns, reason, sizeof reason);
		fail(STATUS_TROUBLE, "--colsep %s: not a regular expression: %s", expression,
		    reason);
	}
	free(text);
	if (regexec(columns, "", 0, NULL, 0) == 0)
		fail(STATUS_TROUBLE, "--colsep %s: matches the empty string, and so between "
		    "any two bytes; for a bar write \\|", expression);
	return columns;
}

/* Where the first column ends and the next begins, 1; or 0, it is the last. begins: text is a whole
   line. */
static int
split_columns(const regex_t *columns, const char *text, int begins, size_t *end, size_t *next)
{
	regmatch_t match;
	size_t from = 0;

	while (regexec(columns, text + from, 1, &match,
	    begins && from == 0 ? 0 : REG_NOTBOL) == 0) {
		*end = from + (size_t)match.rm_so;
		*next = from + (size_t)match.rm_eo;
		if (*next > *end)
			return 1;
		if (text[*end] == '\0')
			return 0;
		from = *end + 1; /* an empty one is no end of a column */
	}
	return 0;
}

int
source_separator(const char *text, char *separator)
{
	static const char letters[] = "0abfnrtv\\", bytes[] = "\0\a\b\f\n\r\t\v\\";
	const char *letter;

	*separator = *text;
	if (*text == '\\' && text[1] != '\0') {
		if ((letter = strchr(letters, *++text)) == NULL)
			return -1;
		*separator = bytes[letter - letters];
	}
	return *text != '\0' && text[1] == '\0' ? 0 : -1;
}

/* 0: take the line; 1: leave it out; -1: its list ends before it. */
static int
judge(const struct source_terms *terms, const char *text, size_t length)
{
	if (terms->end != NULL && strcmp(text, terms->end) == 0)
		return -1;
	return terms->skip_blank && strspn(text, BLANK) == length;
}

static void
add_item(struct source_list *list, char *text, size_t length)
{
	list->items = need_memory(room_for(list->items, &list->room, (size_t)list->count + 1,
	    sizeof *list->items));
	list->items[list->count++] = (struct source_item){text, length};
}

static void
load_words(struct source *s, struct source_list *list, const struct origin *origin)
{
	for (long i = 0; i < origin->count; i++) {
		char *word = origin->words[i];
		int judged = judge(s->terms, word, strlen(word));

		if (judged < 0)
			break;
		if (judged == 0)
			add_item(list, word, strlen(word));
	}
}

/* The next line of a feed that counts: as feed_line(). */
static int
next_line(const struct source_terms *terms, struct feed *feed, char **line, size_t *length)
{
	int got, judged;

	while ((got = feed_line(feed, line, length)) > 0)
		if ((judged = judge(terms, *line, *length)) <= 0)
			return judged < 0 ? -1 : 1;
	return got;
}

static void
open_feed(struct source *s, struct feed *feed, const char *path)
{
	if (feed_open(feed, strcmp(path, "-") == 0 ? NULL : path, s->terms->separator) != 0)
		fail(STATUS_TROUBLE, "reading %s:", path);
}

static void
load_file(struct source *s, struct source_list *list, const struct origin *origin)
{
	struct outbox all = {0};
	struct feed feed;
	size_t length, at = 0;
	char *line;
	int got;

	open_feed(s, &feed, origin->path);
	while ((got = next_line(s->terms, &feed, &line, &length)) >= 0)
		if (got > 0) {
			outbox_add(&all, line, length + 1);
			add_item(list, NULL, length);
		} else if (feed_fill(&feed) != 0)
			fail(STATUS_TROUBLE, "reading %s:", origin->path);
	feed_close(&feed);
	outbox_add(&all, "", 1);
	list->bytes = need_memory(outbox_whole(&all));
	for (long i = 0; i < list->count; i++) {
		list->items[i].text = all.bytes + at;
		at += list->items[i].length + 1;
	}
}

void
source_open(struct source *s, const struct source_terms *terms)
{
	const struct origin *origins = terms->origins;

	*s = (struct source){.terms = terms, .count = terms->count, .feed.fd = -1};
	if (terms->columns != NULL)
		s->columns = open_columns(terms->columns);
	s->lists = need_memory(calloc(s->count, sizeof *s->lists));
	if (origins->path != NULL)
		open_feed(s, &s->feed, origins->path);
	else
		load_words(s, &s->lists[0], origins);
	for (size_t i = 1; i < s->count; i++)
		if (origins[i].path != NULL)
			load_file(s, &s->lists[i], &origins[i]);
		else
			load_words(s, &s->lists[i], &origins[i]);
}

/* Columns, without blanks around, as GNU parallel has them; or the line as it is. */
static void
put_line(struct source *s, struct outbox *box, struct record *record,
    const struct source_item *item)
{
	const char *text = item->text, *end = text + strlen(text);
	size_t n, next;
	int more = 1;

	record->bad |= end != text + item->length;
	for (; more; text += next) {
		more = s->columns != NULL &&
		    split_columns(s->columns, text, text == item->text, &n, &next);
		if (!more)
			next = n = (size_t)(end - text);
		while (s->columns != NULL && n > 0 && strchr(BLANK, text[n - 1]) != NULL)
			n--;
		for (; s->columns != NULL && n > 0 && strchr(BLANK, *text) != NULL; text++, next--)
			n--;
		outbox_add(box, text, n);
		outbox_add(box, "", 1);
		record->length += n + 1;
		record->count++;
	}
}

/* The next line of the first list. As source_next(). */
static int
begin_line(struct source *s)
{
	struct source_item *line = &s->line;
	int got;

	for (size_t i = 1; i < s->count; i++)
		if (s->lists[i].count == 0)
			return -1;
	if (s->feed.fd < 0)
		return s->lists[0].at++ < s->lists[0].count ? 1 : -1;
	if ((got = next_line(s->terms, &s->feed, &line->text, &line->length)) <= 0 ||
	    s->count == 1)
		return got;
	/* it stays while there are combinations to be made with it */
	s->lists[0].bytes = need_memory(room_for(s->lists[0].bytes, &s->room, line->length + 1, 1));
	line->text = memcpy(s->lists[0].bytes, line->text, line->length + 1);
	return 1;
}

/* The next combination with the same line of the first list; 0: there is none. */
static int
advance(struct source *s)
{
	for (size_t i = s->count - 1; i > 0; i--) {
		if (++s->lists[i].at < s->lists[i].count)
			return 1;
		s->lists[i].at = 0;
	}
	return 0;
}

int
source_next(struct source *s, struct outbox *box, struct record *record)
{
	int got;

	if (!s->begun && (got = begin_line(s)) <= 0)
		return got;
	*record = (struct record){0};
	for (size_t i = 0; i < s->count; i++)
		put_line(s, box, record, i == 0 && s->feed.fd >= 0 ? &s->line
		    : &s->lists[i].items[s->lists[i].at - (i == 0)]);
	s->begun = advance(s);
	if (box->lost)
		fail(STATUS_TROUBLE, "no memory:");
	return 1;
}

long
source_total(const struct source *s)
{
	long total = s->feed.fd >= 0 ? feed_count(&s->feed) : s->lists[0].count;

	for (size_t i = 1; i < s->count && total >= 0; i++)
		total = s->lists[i].count > 0 && total > LONG_MAX / s->lists[i].count ? -1
		    : total * s->lists[i].count;
	return total;
}
