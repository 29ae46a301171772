#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../book/quote.h"
#include "../lib/outbox.h"
#include "recipe.h"

enum place { LINE, STEM, BASE, DIRECTORY, BASE_STEM, LINES, ID = LINES, SLOT, PLACES };
enum { DEEPEST = 64, LONG = 20 }; /* quotes within quotes; digits of a long */

static const char *const places[PLACES] = {"{}", "{.}", "{/}", "{//}", "{/.}", "{#}", "{%}"};

/* The place that begins at text, or PLACES. */
static enum place
place_at(const char *text)
{
	int i;

	if (*text != '{')
		return PLACES;
	for (i = 0; i < PLACES; i++)
		if (strncmp(text, places[i], strlen(places[i])) == 0)
			break;
	return (enum place)i;
}

static int
has_line(const char *text)
{
	for (; (text = strchr(text, '{')) != NULL; text++)
		if (place_at(text) < LINES)
			return 1;
	return 0;
}

static const char *
base_of(const char *line)
{
	const char *slash = strrchr(line, '/');

	return slash == NULL ? line : slash + 1;
}

/* Without ".gz" of "a/b.gz"; ".profile" has no extension. */
static size_t
stem_of(const char *line)
{
	const char *base = base_of(line), *dot = strrchr(base, '.');

	return dot == NULL || dot == base ? strlen(line) : (size_t)(dot - line);
}

/* What a place stands for: *from, and its length. scratch is for a number. */
static size_t
value_of(enum place place, const char *line, long id, long slot, const char **from, char *scratch)
{
	const char *base = base_of(line);

	*from = line;
	switch (place) {
	case LINE: return strlen(line);
	case STEM: return stem_of(line);
	case BASE: *from = base; return strlen(base);
	case BASE_STEM: *from = base; return stem_of(base);
	case DIRECTORY:
		if (base - line > 1)
			return (size_t)(base - line) - 1;
		*from = base == line ? "." : "/";
		return 1;
	default:
		*from = scratch;
		if (place == SLOT && slot == 0)
			return (size_t)snprintf(scratch, LONG + 2, "%s", places[SLOT]);
		return (size_t)snprintf(scratch, LONG + 2, "%ld", place == ID ? id : slot);
	}
}

/* A word with its places filled. */
static void
fill(struct outbox *out, const char *word, const char *line, long id, long slot)
{
	char scratch[LONG + 2];
	const char *from;
	enum place place;
	size_t n;

	while (*word != '\0') {
		if ((place = place_at(word)) == PLACES) {
			from = word;
			n = 1 + strcspn(word + 1, "{");
			word += n;
		} else {
			word += strlen(places[place]);
			n = value_of(place, line, id, slot, &from, scratch);
		}
		outbox_add(out, from, n);
	}
}

/* Where in a shell's quotes we are. quote: 0, or the quote that we are in; opened:
   '(' or '`' where a command within the quotes began. */
struct nest {
	char quote, opened;
};

static void
follow(struct nest *nest, int *depth, const char *script, const char *at)
{
	char *quote = &nest[*depth].quote, c = *at;
	int command = c == '`' || (c == '(' && (*quote == 0 || (at > script && at[-1] == '$')));

	if ((c == '\'' && *quote != '"') || (c == '"' && *quote != '\''))
		*quote = *quote == 0 ? c : 0;
	else if (*quote == '\'')
		return;
	else if (*depth > 0 && *quote == 0 &&
	    nest[*depth].opened == (c == ')' ? '(' : c == '`' ? c : 'x'))
		--*depth;
	else if (command && *depth < DEEPEST - 1) {
		nest[++*depth].quote = 0;
		nest[*depth].opened = c;
	}
}

/* For a shell: a parameter in each place, quoted as its surroundings need. Even where we misread
   those, nothing is executed: a shell does not parse the value of a parameter. */
static void
parametrize(struct outbox *out, const char *script)
{
	static const char *const names[PLACES] = {"1", "2", "3", "4", "5", "JOBCTL_ID",
	    "JOBCTL_SLOT"};
	struct nest nest[DEEPEST] = {{0}};
	int depth = 0;
	enum place place;

	for (const char *at = script; *at != '\0'; at++) {
		char quote = nest[depth].quote;

		if ((place = place_at(at)) != PLACES) {
			outbox_say(out, quote == 0 ? "\"${%s}\"" : quote == '"' ? "${%s}"
			    : "'\"${%s}\"'", names[place]);
			at += strlen(places[place]) - 1;
			continue;
		}
		outbox_add(out, at, 1);
		if (quote != '\'' && *at == '\\' && at[1] != '\0')
			outbox_add(out, ++at, 1);
		else
			follow(nest, &depth, script, at);
	}
}

int
recipe_open(struct recipe *recipe, char **words, int shell)
{
	struct outbox out = {0};

	recipe->words = words[0] == NULL ? NULL : words;
	recipe->script = NULL;
	recipe->appended = words[0] != NULL;
	for (int i = 0; words[i] != NULL; i++)
		if (has_line(words[i]))
			recipe->appended = 0;
	if (!shell)
		return 0;
	parametrize(&out, words[0]);
	if (recipe->appended)
		outbox_say(&out, " \"${1}\"");
	outbox_add(&out, "", 1);
	recipe->script = outbox_whole(&out);
	return recipe->script == NULL ? -1 : 0;
}

void
recipe_close(struct recipe *recipe)
{
	free(recipe->script);
}

int
recipe_varies(const struct recipe *recipe)
{
	return recipe->words != NULL && recipe->script == NULL && has_line(recipe->words[0]);
}

int
recipe_is_job(const struct recipe *recipe, const char *line)
{
	if (recipe->words != NULL)
		return 1;
	line += strspn(line, " \t\r");
	return *line != '\0' && *line != '#';
}

static void
put(struct outbox *out, const char *argument)
{
	outbox_add(out, argument, strlen(argument) + 1);
}

/* All arguments. A script has its parameters as parametrize() numbers them. */
static void
put_arguments(struct outbox *out, const struct recipe *recipe, const char *line, long id, long slot)
{
	if (recipe->words == NULL || recipe->script != NULL) {
		put(out, "sh");
		put(out, "-c");
		put(out, recipe->words == NULL ? line : recipe->script);
	}
	if (recipe->script != NULL) {
		put(out, "sh");
		for (int i = 0; i < LINES; i++) {
			fill(out, places[i], line, id, slot);
			put(out, "");
		}
		return;
	}
	for (char **word = recipe->words; word != NULL && *word != NULL; word++) {
		fill(out, *word, line, id, slot);
		put(out, "");
	}
	if (recipe->appended)
		put(out, line);
}

/* The pointers come first, then what they point to. */
char **
recipe_argv(const struct recipe *recipe, const char *line, long id, long slot)
{
	struct outbox out = {0};
	size_t room = LINES + 6;
	char *p, **argv, *none = NULL;

	for (argv = recipe->words; argv != NULL && *argv != NULL; argv++)
		room++;
	for (size_t i = 0; i < room; i++)
		outbox_add(&out, (const char *)&none, sizeof none);
	put_arguments(&out, recipe, line, id, slot);
	if ((argv = (char **)outbox_whole(&out)) == NULL)
		return NULL;
	for (p = (char *)(argv + room); p < out.bytes + out.end; p += strlen(p) + 1)
		*argv++ = p;
	return (char **)out.bytes;
}

static void
show_script(struct outbox *out, const char *word, const char *line, long id, long slot)
{
	char scratch[LONG + 2];
	const char *from;
	enum place place;
	size_t n;

	for (; *word != '\0'; word += n)
		if ((place = place_at(word)) == PLACES) {
			n = 1 + strcspn(word + 1, "{");
			quote_flat(out, word, n);
		} else {
			n = value_of(place, line, id, slot, &from, scratch);
			quote_word(out, from, n);
			n = strlen(places[place]);
		}
}

static void
show_arguments(struct outbox *out, char **argv)
{
	out->lost |= argv == NULL;
	for (char **word = argv; word != NULL && *word != NULL; word++) {
		if (word > argv)
			outbox_add(out, " ", 1);
		quote_word(out, *word, strlen(*word));
	}
	free(argv);
}

char *
recipe_text(const struct recipe *recipe, const char *line, long id, long slot)
{
	struct outbox out = {0};

	if (recipe->words == NULL)
		quote_flat(&out, line, strlen(line));
	else if (recipe->script == NULL)
		show_arguments(&out, recipe_argv(recipe, line, id, slot));
	else
		show_script(&out, recipe->words[0], line, id, slot);
	if (recipe->script != NULL && recipe->appended) {
		outbox_add(&out, " ", 1);
		quote_word(&out, line, strlen(line));
	}
	put(&out, "");
	return outbox_whole(&out);
}
