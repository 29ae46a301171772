/*
 * What jobctl runs for a line, and how it shows that. The first byte is 'c' for a shell's
 * command; then come the words, each on a line, up to an empty line, and what follows is
 * the line. What is shown, a shell must read as the words that are run; and the shell library's
 * quotes around the same words are shown alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/book/quote.h"
#include "../../src/jobctl/recipe.h"
#include "../../src/lib/outbox.h"
#include "ground.h"

enum { WORDS = 16 };

/* The next word of a text that is quoted as recipe_text() does it, in place. */
static char *
shell_word(char **rest)
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
		if ((word = shell_word(&rest)) == NULL || strcmp(word, argv[i]) != 0)
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

/* Whatever it is, it becomes one line. */
static void
check_flat(const char *line)
{
	char *again = quote_again(line);

	if (again == NULL || strchr(again, '\n') != NULL)
		wrong("'%s' is not one line", line);
	free(again);
}

static void
check_script(char **argv, const char *line)
{
	if (strcmp(argv[0], "sh") != 0 || strcmp(argv[1], "-c") != 0 || strcmp(argv[4], line) != 0)
		wrong("a shell's first parameter is '%s'", argv[4]);
}

static void
run(struct recipe *recipe, char *line, int shell)
{
	char **argv = recipe_argv(recipe, line, 7, 2), *text = recipe_text(recipe, line, 7, 2);

	if (argv == NULL || text == NULL)
		wrong("no memory");
	if (strchr(text, '\n') != NULL)
		wrong("'%s' has several lines", text);
	check_flat(line);
	if (!shell && recipe->words != NULL)
		check_again(argv, text);
	if (shell)
		check_script(argv, line);
	else if (recipe->words != NULL && strchr(line, '\n') == NULL)
		check_shown(argv, text); /* takes it apart */
	recipe_varies(recipe);
	recipe_is_job(recipe, line);
	free(argv);
	free(text);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = ground_text(data, size), *rest = text, *words[WORDS + 1], *word;
	struct recipe recipe;
	int n = 0, shell = *text == 'c';

	if (*rest != '\0')
		rest++;
	while (n < WORDS && (word = line_next(&rest)) != NULL && *word != '\0')
		words[n++] = word;
	words[n] = NULL;
	if (shell && n > 1)
		words[n = 1] = NULL;
	shell = shell && n == 1;
	if (recipe_open(&recipe, words, shell) != 0)
		wrong("no memory");
	run(&recipe, rest, shell);
	recipe_close(&recipe);
	free(text);
	return 0;
}
