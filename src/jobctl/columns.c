#define _REGEX_NELTS(n) /* glibc's prototype has an array that tcc does not understand */
#include <regex.h>
#include <stdlib.h>

#include "../lib/complain.h"
#include "../lib/outbox.h"
#include "../lib/status.h"
#include "columns.h"

enum { REASON = 256 };

struct columns {
	regex_t expression;
};

/* With what regcomp(3) does not know in words that it does. */
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
	return outbox_whole(&out);
}

struct columns *
columns_open(const char *expression)
{
	struct columns *columns = need_memory(calloc(1, sizeof *columns));
	char *text = need_memory(translated(expression)), reason[REASON];
	int error;

	if ((error = regcomp(&columns->expression, text, REG_EXTENDED)) != 0) {
		regerror(error, &columns->expression, reason, sizeof reason);
		fail(STATUS_TROUBLE, "--colsep %s: not a regular expression: %s", expression,
		    reason);
	}
	free(text);
	if (regexec(&columns->expression, "", 0, NULL, 0) == 0)
		fail(STATUS_TROUBLE, "--colsep %s: matches the empty string, and so between "
		    "any two bytes; for a bar write \\|", expression);
	return columns;
}

void
columns_close(struct columns *columns)
{
	if (columns != NULL)
		regfree(&columns->expression);
	free(columns);
}

int
columns_split(const struct columns *columns, const char *text, int begins, size_t *end,
    size_t *next)
{
	regmatch_t match;
	size_t from = 0;

	while (regexec(&columns->expression, text + from, 1, &match,
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
