#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobctl.h"

/* The values for places. */
struct filling {
	const struct arguments *given;
	const char *each; /* the current one of them */
	long id, slot;
};

/* The value of a place: *from, and its length. scratch is for a number. */
static size_t
value_of(const struct place *place, const struct filling *with, const char **from, char *scratch)
{
	if (place->part < PLACE_ID)
		return place_value(place, with->given, with->each, from);
	*from = scratch;
	if (place->part == PLACE_SLOT && with->slot == 0)
		return (size_t)snprintf(scratch, PLACE_ROOM, "{%%}");
	return (size_t)snprintf(scratch, PLACE_ROOM, "%ld",
	    place->part == PLACE_ID ? with->id : with->slot);
}

enum { BARE = -1 /* no shell parses it */ };

/* Adds text as it is; or for a shell, within that quote, or as a word where it is 0. */
static void
add_quoted(struct outbox *out, const char *text, size_t length, int quote)
{
	const char *special = quote == '"' ? "\"$`\\\n" : "'\n";
	const char mark[] = {(char)quote, '\0'}; /* leaves it, and comes back */
	size_t n = 0;

	while (quote > 0 && n < length && strchr(special, text[n]) == NULL)
		n++;
	if (quote == BARE || (quote > 0 && n == length)) {
		outbox_add(out, text, length);
		return;
	}
	outbox_say(out, "%s", mark);
	quote_word(out, text, length);
	outbox_say(out, "%s", mark);
}

/* Adds what stands in a place, likewise; all: for each argument, with blanks between. */
static void
add_value(struct outbox *out, const struct place *place, struct filling with, int all, int quote)
{
	const char between[] = {(char)(quote > 0 ? quote : ' '), ' ', (char)quote};
	const char *end = with.given->text + with.given->length, *from;
	char scratch[PLACE_ROOM];
	size_t n = value_of(place, &with, &from, scratch);

	add_quoted(out, from, n, quote);
	if (!all || !place_is_each(place))
		return;
	while ((with.each += strlen(with.each) + 1) < end) {
		outbox_add(out, between, quote > 0 ? 3 : 1);
		n = value_of(place, &with, &from, scratch);
		add_quoted(out, from, n, quote);
	}
}

/* Adds a word with its places filled, and a NUL. 1 if one of them is for each argument. */
static int
fill_word(const struct recipe *recipe, struct outbox *out, const char *word,
    const struct filling *with, int all)
{
	struct place place;
	size_t n;
	int each = 0;

	for (;; word += place.length) {
		n = place_find(word, recipe->replace, &place);
		outbox_add(out, word, n);
		word += n;
		if (place.length == 0)
			break;
		add_value(out, &place, *with, all, BARE);
		each |= place_is_each(&place);
	}
	outbox_add(out, "", 1);
	return each;
}

/* The place for each argument, as it is written. */
static const char *
whole(const struct recipe *recipe)
{
	return recipe->replace == NULL ? "{}" : recipe->replace;
}

char *
recipe_fill(const struct recipe *recipe, const char *text, const struct arguments *given, long id,
    long slot)
{
	const struct filling with = {given, given->text, id, slot};
	struct outbox out = {0};

	fill_word(recipe, &out, text == NULL ? whole(recipe) : text, &with, 1);
	return need_memory(outbox_whole(&out));
}

/* Adds up what a word needs; 1 when it has a place for an argument. */
static int
measure(struct recipe *recipe, const char *word)
{
	struct recipe_need need = {.words = 1, .bytes = 1}, *sum;
	struct place place;

	for (;; word += place.length) {
		size_t n = place_find(word, recipe->replace, &place);

		need.bytes += n;
		word += n;
		if (place.length == 0)
			break;
		if (place_is_each(&place))
			need.each++;
		else if (place.part < PLACE_ID)
			need.numbered++;
		if (place.part >= PLACE_DIRECTORY) /* the . of "" */
			need.bytes += place.part < PLACE_ID ? 1 : PLACE_ROOM;
	}
	sum = need.each > 0 ? &recipe->each : &recipe->once;
	sum->words += need.words;
	sum->bytes += need.bytes;
	sum->each += need.each;
	sum->numbered += need.numbered;
	return need.each + need.numbered > 0;
}

/* 1 when a shell runs words. */
static int
runs_words(const struct recipe *recipe)
{
	return recipe->words != NULL && recipe->script.text == NULL;
}

int
recipe_open(struct recipe *recipe, char **words, int script)
{
	static const struct recipe_need one = {.words = 1, .bytes = 1, .each = 1};

	recipe->words = words[0] == NULL ? NULL : words;
	recipe->script = (struct script){0};
	recipe->once = recipe->each = (struct recipe_need){0};
	recipe->appended = words[0] != NULL && !script && !recipe->alone;
	if (script && script_open(&recipe->script, words[0], recipe->replace, recipe->several,
	    !recipe->alone) != 0)
		return -1;
	for (int i = 0; words[i] != NULL && !script; i++)
		if (measure(recipe, words[i]))
			recipe->appended = 0;
	if (recipe->appended)
		measure(recipe, whole(recipe));
	recipe->once.numbered += recipe->script.count;
	recipe->once.words += recipe->script.count;
	if (recipe->script.text != NULL)
		recipe->once.bytes += strlen(recipe->script.text);
	if (!runs_words(recipe)) { /* the shell before the words */
		recipe->once.words += 4;
		recipe->once.bytes += 2 * sizeof "sh" + sizeof "-c" + 1;
	}
	if (recipe->words == NULL || (recipe->script.text != NULL && recipe->several))
		recipe->each = one; /* the argument behind them */
	return 0;
}

const char *
recipe_program(const struct recipe *recipe)
{
	struct place place;

	if (!runs_words(recipe))
		return "sh";
	for (const char *word = recipe->words[0];; word += place.length) {
		word += place_find(word, recipe->replace, &place);
		if (place.length == 0)
			return recipe->words[0];
		if (place.part < PLACE_ID)
			return NULL;
	}
}

int
recipe_is_job(const struct recipe *recipe, const char *line)
{
	if (recipe->words != NULL)
		return 1;
	line += strspn(line, " \t\r");
	return *line != '\0' && *line != '#';
}

size_t
recipe_size(const struct recipe *recipe, const struct arguments *given, size_t longest,
    size_t word)
{
	const struct recipe_need *once = &recipe->once, *each = &recipe->each;
	size_t count = (size_t)given->count;

	return once->bytes + once->words * word + once->numbered * longest +
	    count * (each->bytes + each->words * word + each->numbered * longest) +
	    each->each * (given->length - count);
}

static void
put_arguments(const struct recipe *recipe, struct outbox *out, const struct filling *with)
{
	char **word = recipe->script.text == NULL ? recipe->words : NULL;
	const char *text = recipe->words == NULL ? with->each : recipe->script.text;
	const char *end = with->given->text + with->given->length;
	struct filling now;

	if (!runs_words(recipe)) {
		outbox_add(out, "sh\0-c", sizeof "sh\0-c");
		outbox_add(out, text, strlen(text) + 1);
		if (recipe->words != NULL)
			outbox_add(out, "sh", sizeof "sh"); /* $0 */
	}
	for (size_t i = 0; i < recipe->script.count; i++) {
		add_value(out, &recipe->script.parameters[i], *with, 0, BARE);
		outbox_add(out, "", 1);
	}
	for (; word != NULL && *word != NULL; word++) {
		now = *with;
		while (fill_word(recipe, out, *word, &now, 0) &&
		    (now.each += strlen(now.each) + 1) < end)
			;
	}
	if (recipe->script.text != NULL ? recipe->several : recipe->appended)
		outbox_add(out, with->given->text, with->given->length);
}

/* The pointers come first, then what they point to. */
char **
recipe_argv(const struct recipe *recipe, const struct arguments *given, long id, long slot)
{
	const struct filling with = {given, given->text, id, slot};
	size_t room = recipe->once.words + recipe->each.words * (size_t)given->count + 1;
	struct outbox out = {0};
	char *p, **argv, *none = NULL;

	for (size_t i = 0; i < room; i++)
		outbox_add(&out, (const char *)&none, sizeof none);
	put_arguments(recipe, &out, &with);
	argv = need_memory(outbox_whole(&out));
	for (p = (char *)(argv + room); p < out.bytes + out.end; p += strlen(p) + 1)
		*argv++ = p;
	return (char **)out.bytes;
}

/* For script_copy(). */
static int
show_value(void *context, struct outbox *out, const struct place *place, char quote)
{
	const struct filling *with = context;

	add_value(out, place, *with, 1, quote);
	return 0;
}

char *
recipe_text(const struct recipe *recipe, const struct arguments *given, long id, long slot)
{
	static const struct place each = {.part = PLACE_WHOLE};
	struct filling with = {given, given->text, id, slot};
	struct outbox out = {0};
	char **argv;

	if (recipe->words == NULL)
		script_copy(&out, given->text, NULL, 1, NULL, NULL);
	else if (recipe->script.text != NULL) { /* as it was written */
		script_copy(&out, recipe->words[0], recipe->replace, 1, show_value, &with);
		if (recipe->script.appended) {
			outbox_add(&out, " ", 1);
			add_value(&out, &each, with, 1, 0);
		}
	} else {
		argv = recipe_argv(recipe, given, id, slot);
		quote_words(&out, argv);
		free(argv);
	}
	outbox_add(&out, "", 1);
	return need_memory(outbox_whole(&out));
}
