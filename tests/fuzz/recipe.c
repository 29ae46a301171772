/*
 * The command that jobctl runs for a line, and how it shows that. The first byte is 'c' for a
 * shell's command, 's' if there may be several arguments, 'C' for both; 'n' for -n 0, 'N' for that
 * and a command; then come the words, each on a line, up to an empty line, then the arguments, with
 * 0x1f between. A shell must read the text shown as the words that are run; the shell library's
 * quotes around the same words are shown alike.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/book/book.h"
#include "../../src/jobctl/jobctl.h"
#include "../../src/lib/lib.h"
#include "ground.h"

enum { WORDS = 16, ARGUMENTS = 64 };

/* The next word of a text quoted by recipe_text(), in place. */
static char *
unquoted_word(char **rest)
{
	char *from = *rest, *to = from, *word = from;
	int quoted = 0;

	if (*from == '\0')
		return NULL;
	for (; *from != '\0' && (quoted || *from != ' '); from++)
		if (*from == '\'')
			quoted = !quoted;
		else if (*from == '\\' && !quoted && from[1] != '\0')
			*to++ = *++from;
		else if (!quoted && strchr("|&;<>()$`\\\"*?[#~ \t", *from) != NULL)
			wrong("%c is not quoted", *from);
		else
			*to++ = *from;
	if (quoted)
		wrong("a quote has no end");
	*rest = from + (*from != '\0');
	*to = '\0';
	return word;
}

static void
check_shown(char **argv, char *text)
{
	char *rest = text, *word;
	int i;

	for (i = 0; argv[i] != NULL; i++)
		if ((word = unquoted_word(&rest)) == NULL || strcmp(word, argv[i]) != 0)
			wrong("'%s' is shown as '%s'", argv[i], word == NULL ? "nothing" : word);
	if (*rest != '\0')
		wrong("'%s' is shown, too", rest);
}

static void
check_again(char **argv, const char *text)
{
	struct outbox quoted = {0};
	char *again;

	for (int i = 0; argv[i] != NULL; i++) {
		outbox_say(&quoted, i > 0 ? " '" : "'");
		for (const char *c = argv[i]; *c != '\0'; c++)
			if (*c == '\'')
				outbox_say(&quoted, "'\\''");
			else if (*c == '\n')
				outbox_say(&quoted, "'\"$_jobctl_newline\"'");
			else
				outbox_add(&quoted, c, 1);
		outbox_say(&quoted, "'");
	}
	outbox_add(&quoted, "", 1);
	if ((again = quote_again(quoted.bytes)) == NULL || strcmp(again, text) != 0)
		wrong("'%s' is '%s' from the library", text, again == NULL ? "nothing" : again);
	free(again);
	outbox_drop(&quoted);
}

/* Any text becomes one line. */
static void
check_flat(const char *line)
{
	char *again = quote_again(line);

	if (again == NULL || strchr(again, '\n') != NULL)
		wrong("'%s' is not one line", line);
	free(again);
}

static void
check_script(char **argv, const struct recipe *recipe, const struct arguments *given)
{
	size_t first = 4 + (recipe->several ? recipe->script.count : 0);
	const char *at = given->text;

	if (strcmp(argv[0], "sh") != 0 || strcmp(argv[1], "-c") != 0)
		wrong("no shell, but '%s'", argv[0]);
	for (long i = 0; i < given->count; i++, at += strlen(at) + 1)
		if (argv[first + (size_t)i] == NULL || strcmp(argv[first + (size_t)i], at) != 0)
			wrong("an argument of a shell is not '%s'", at);
}

/* exec(2) gets no more bytes than were reckoned. */
static void
check_size(char **argv, const struct recipe *recipe, const struct arguments *given)
{
	size_t size = 0, longest = 0;
	const char *at = given->text;

	for (; at < given->text + given->length; at += strlen(at) + 1)
		if (strlen(at) + 1 > longest)
			longest = strlen(at) + 1;
	for (; *argv != NULL; argv++)
		size += strlen(*argv) + 1 + 8;
	if (size > recipe_size(recipe, given, longest, 8))
		wrong("%lu bytes instead of %lu", (unsigned long)size,
		    (unsigned long)recipe_size(recipe, given, longest, 8));
}

static void
run(struct recipe *recipe, struct arguments *given)
{
	char **argv = recipe_argv(recipe, given, 7, 2), *text = recipe_text(recipe, given, 7, 2);
	char *tag = recipe_fill(recipe, NULL, given, 7, 2);

	if (strchr(text, '\n') != NULL)
		wrong("'%s' has several lines", text);
	check_flat(given->text);
	check_size(argv, recipe, given);
	if (recipe->script.text == NULL && recipe->words != NULL)
		check_again(argv, text);
	if (recipe->script.text != NULL)
		check_script(argv, recipe, given);
	else if (recipe->words != NULL && memchr(given->text, '\n', given->length) == NULL)
		check_shown(argv, text); /* takes it apart */
	recipe_program(recipe);
	recipe_is_job(recipe, given->text);
	free(argv);
	free(text);
	free(tag);
}

/* One argument, or several with separators between. */
static struct arguments
arguments_of(char *text, int several)
{
	struct arguments given = {text, strlen(text) + 1, 1};

	for (; several && (text = strchr(text, '\x1f')) != NULL && given.count < ARGUMENTS; text++) {
		*text = '\0';
		given.count++;
	}
	return given;
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = ground_text(data, size), *rest = text, *words[WORDS + 1], *word;
	struct recipe recipe = {0};
	int n = 0, script = *text == 'c' || *text == 'C' || *text == 'N';
	struct arguments given;

	recipe.several = *text == 's' || *text == 'C';
	recipe.alone = *text == 'n' || *text == 'N';
	if (*rest != '\0')
		rest++;
	while (n < WORDS && (word = line_next(&rest)) != NULL && *word != '\0')
		words[n++] = word;
	words[n] = NULL;
	if (script && n > 1)
		words[n = 1] = NULL;
	script = script && n == 1;
	if (n == 0)
		recipe.several = 0;
	given = arguments_of(rest, recipe.several);
	if (recipe_open(&recipe, words, script) == 0)
		run(&recipe, &given);
	else if (!script || (!recipe.several && errno != ENOEXEC))
		wrong("no memory");
	free(recipe.script.text);
	free(recipe.script.parameters);
	free(text);
	return 0;
}
