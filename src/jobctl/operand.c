#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobctl.h"
#include "habits.h"

#define BLANK " \t\n"

enum { ENOUGH = 512 /* bytes, which tell a binary from a text */ };

enum syntax { ARGUMENT, EXPANSION, COMMAND };

/* The last list of files has none. */
static void
check_files(const char *list, const struct origin *last)
{
	if (list != NULL && strcmp(list, "::::") == 0 && last == NULL)
		fail(STATUS_TROUBLE, "::::: needs a file of arguments; is a variable empty?");
}

void
operand_lists(char **words, struct origin *origins, size_t *count)
{
	struct origin *last = NULL;
	const char *list = NULL;

	for (; *words != NULL; words++) {
		if (strcmp(*words, ":::") == 0 || strcmp(*words, "::::") == 0) {
			check_files(list, last);
			list = *words;
			last = NULL;
			if (list[3] == '\0') {
				last = &origins[(*count)++];
				*last = (struct origin){.words = words + 1};
			}
			*words = NULL;
		} else if (strcmp(*words, ":::+") == 0 || strcmp(*words, "::::+") == 0) {
			fail(STATUS_TROUBLE, "%s: lists are not linked; write: "
			    "paste a b | jobctl -C '\\t' ...", *words);
		} else if (list != NULL && list[3] != '\0') {
			last = &origins[(*count)++];
			*last = (struct origin){.path = *words};
		} else if (list != NULL) {
			last->count++;
		}
	}
	check_files(list, last);
}

/* 1 for "#!", a binary, and what we cannot read. */
static int
looks_like_program(const char *path)
{
	char begin[ENOUGH];
	ssize_t n = peek(path, begin, sizeof begin);

	return n < 0 || (n > 1 && memcmp(begin, "#!", 2) == 0) ||
	    memchr(begin, '\0', (size_t)n) != NULL;
}

/* No program has such a name: somebody took us for a shell. A path may have a blank in it. */
static int
is_script(char *word)
{
	char *end = word + strcspn(word, BLANK "|&;<>()$`\\\"'*?"), after = *end;
	int path;

	if (after == '\0' || access(word, F_OK) == 0 || command_there(word))
		return 0;
	*end = '\0';
	path = strchr(word, '/') != NULL && !command_there(word);
	*end = after;
	return !path;
}

/* A pattern that a shell would replace by names of files, as those here. */
static int
is_pattern(const char *word)
{
	DIR *here = strpbrk(word, "*?[") != NULL ? opendir(".") : NULL;
	struct dirent *entry = NULL;

	if (here == NULL)
		return 0;
	while ((entry = readdir(here)) != NULL && fnmatch(word, entry->d_name, FNM_PERIOD) != 0)
		;
	closedir(here);
	return entry != NULL;
}

/* GNU parallel gives the words to a shell: what that would take this one for. Behind an option it
   is an argument anyway, as in sort -t '|'. */
static enum syntax
syntax_of(char **words, int i)
{
	const char *word = words[i], *next = words[i + 1];

	if (*words[i - 1] == '-')
		return ARGUMENT;
	if (word[0] == '$' && (strchr("({", word[1]) != NULL || getenv(word + 1) != NULL))
		return word[1] == '\0' ? ARGUMENT : EXPANSION;
	if (strncmp(word, "\"$", 2) == 0 || is_pattern(word))
		return EXPANSION;
	if (i > 1 && word[strspn(word, "&12")] == '>')
		return EXPANSION; /* such as 2>/dev/null */
	if (strspn(word, "|&;<>12") < strlen(word) || strpbrk(word, "|&;<>") == NULL)
		return ARGUMENT;
	if (strpbrk(word, "<>") != NULL)
		return i > 1 ? EXPANSION : ARGUMENT;
	return next != NULL && command_there(next) ? COMMAND : ARGUMENT;
}

/* A shell with a script for it, or ssh: these parse the words behind. */
static int
parses(char **words, int i)
{
	const char *name = strrchr(words[i], '/');
	size_t n = strlen(words[i]);

	return strcmp(name == NULL ? words[i] : name + 1, "ssh") == 0 || (n > 1 &&
	    strcmp(words[i] + n - 2, "sh") == 0 && words[i + 1] != NULL &&
	    words[i + 1][0] == '-' && strchr(words[i + 1], 'c') != NULL);
}

const char *
operand_missing(const char *word)
{
	return strchr(word, '/') != NULL ? "no such program" : "no such program on PATH; if only a "
	    "shell knows it, write: jobctl -c 'SCRIPT'";
}

static void
check_word(const char *word, int literal)
{
	const char *at = strstr(word, "{=");

	if (literal)
		return;
	if (at != NULL && strstr(at + 2, "=}") != NULL)
		fail(STATUS_TROUBLE, "%s: {= =} is Perl; %s; -q passes it as it is", word,
		    &HABITS_PERL[1]);
	if ((strstr(word, "$PARALLEL_SEQ") != NULL || strstr(word, "$PARALLEL_JOBSLOT") != NULL) &&
	    strstr(word, "JOBCTL_") == NULL && getenv("PARALLEL_SEQ") == NULL)
		fail(STATUS_TROUBLE, "%s: write {#} for $PARALLEL_SEQ, and {%%} for "
		    "$PARALLEL_JOBSLOT; -q passes it as it is", word);
	if (strncmp(word, ":::", 3) == 0)
		fail(STATUS_TROUBLE, "%s: ::: is a word of its own, with a blank behind it; -q "
		    "passes it as it is", word);
}

void
operand_check(char **words, int script, int literal, int quiet)
{
	for (int i = 0; words[i] != NULL; i++)
		check_word(words[i], literal);
	if (!script && words[0] != NULL && is_script(words[0]))
		fail(STATUS_NOT_FOUND, "%s: no such program; for a pipeline or shell syntax "
		    "write: jobctl -c 'SCRIPT'", words[0]);
	if (script || literal || words[0] == NULL)
		return;
	for (int i = 1; words[i] != NULL && !parses(words, i - 1); i++) {
		enum syntax syntax = syntax_of(words, i);

		if (syntax == COMMAND)
			fail(STATUS_TROUBLE, "'%s': no shell parses this command; for one write: "
			    "jobctl -c 'SCRIPT'; -q passes the word as it is", words[i]);
		if (syntax == EXPANSION && !quiet)
			complain("note: '%s' is passed as it is, as no shell parses it; "
			    "for one write: jobctl -c 'SCRIPT'; -q omits this note", words[i]);
	}
}

void
operand_no_list(char **words)
{
	int i, files = 0;

	for (i = words[0] != NULL; words[0] != NULL && words[i] != NULL; i++)
		files += strchr(words[i], '{') != NULL ? -i : access(words[i], F_OK) == 0;
	if (files > 1)
		fail(STATUS_TROUBLE, "%s: the list of arguments is missing; write ::: before %s",
		    words[0], words[i - files]);
}

/* As bash exports it. */
static int
is_function(const char *word)
{
	char name[256];

	snprintf(name, sizeof name, "BASH_FUNC_%s%%%%", word);
	return getenv(name) != NULL;
}

static void
refuse_nothing(char **words, const struct stat *st, int error)
{
	const char *word = words[0];

	if (*word == '\0')
		fail(STATUS_TROUBLE, "the command is an empty word; is a variable empty?");
	if (error == 0 && S_ISREG(st->st_mode) && words[1] != NULL)
		fail(strchr(word, '/') != NULL ? STATUS_CANNOT_RUN : STATUS_NOT_FOUND,
		    "%s: not a program; for a list of commands write: jobctl [option...] %s",
		    word, word);
	if (error != 0 && is_function(word))
		fail(STATUS_NOT_FOUND, "%s: a function of bash: write jobctl bash -c '%s "
		    "\"$@\"' -", word, word);
	if (error == 0)
		fail(STATUS_CANNOT_RUN, "%s: neither a program nor a list of commands", word);
	if (error != ENOENT)
		fail(STATUS_CANNOT_RUN, "%s: %s", word, strerror(error));
	if (words[1] == NULL)
		fail(STATUS_NOT_FOUND, "%s: no such program, and no such file of commands", word);
	fail(STATUS_NOT_FOUND, "%s: %s", word, operand_missing(word));
}

int
operand_is_list(char **words, int elsewhere)
{
	const char *word = words[0];
	struct stat st;
	int error = stat(word, &st) == 0 ? 0 : errno;
	int file = error == 0 && S_ISREG(st.st_mode), alone = words[1] == NULL;

	if (file && alone && access(word, X_OK) != 0)
		return 1;
	if (file && alone && (strchr(word, '/') != NULL || !command_there(word)) &&
	    !looks_like_program(word))
		fail(STATUS_TROUBLE, "%s: can be executed, and does not begin with #!: write "
		    "'jobctl -a %s' for a list of commands, 'jobctl sh %s' for a script", word,
		    word, word);
	if (command_there(word))
		return 0;
	if (strchr(word, '{') == NULL && (!elsewhere || error == 0))
		/* else each line may name a program, or the place has it */
		refuse_nothing(words, &st, error);
	return 0;
}
