#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/command.h"
#include "../lib/complain.h"
#include "../lib/outbox.h"
#include "../lib/peek.h"
#include "../lib/status.h"
#include "../book/quote.h"
#include "operand.h"
#include "source.h"

enum { ENOUGH = 512 /* bytes, which tell a binary from a text */ };

enum sign { NO_LIST = 0, LIST = 1, OF_FILES = 2, LINKED = 4 };

static int
list_begins(const char *word)
{
	static const char *const signs[] = {":::", "::::", ":::+", "::::+"};

	for (int i = 0; i < 4; i++)
		if (strcmp(word, signs[i]) == 0)
			return LIST | (i & 1 ? OF_FILES : 0) | (i & 2 ? LINKED : 0);
	return NO_LIST;
}

static void
check_files(int how, size_t files)
{
	if ((how & OF_FILES) && files == 0)
		fail(STATUS_TROUBLE, "::::%s: needs a file with arguments; is a variable empty?",
		    how & LINKED ? "+" : "");
}

void
operand_lists(char **words, struct origin *origins, size_t *count)
{
	struct origin *origin = NULL;
	size_t files = 0;
	int sign, how = NO_LIST;

	for (; *words != NULL; words++) {
		if ((sign = list_begins(*words)) != NO_LIST) {
			check_files(how, files);
			how = sign;
			files = 0;
			if ((how & OF_FILES) == 0) {
				origin = &origins[(*count)++];
				*origin = (struct origin){.words = words + 1,
				    .linked = how & LINKED};
			}
			*words = NULL;
		} else if (how & OF_FILES) {
			origins[(*count)++] = (struct origin){.path = *words,
			    .linked = how & LINKED};
			files++;
		} else if (how != NO_LIST) {
			origin->count++;
		}
	}
	check_files(how, files);
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

/* No program has such a name: somebody took us for a shell. shell: NULL for sh. */
static void
refuse_script(const char *word, const char *shell)
{
	struct outbox quoted = {0};

	quote_word(&quoted, word, strlen(word));
	outbox_add(&quoted, "", 1);
	fail(STATUS_NOT_FOUND, "%s: no such program; for a script of %s write: jobctl %s%s%s-c %s",
	    word, shell == NULL ? "sh" : shell, shell == NULL ? "" : "--shell ",
	    shell == NULL ? "" : shell, shell == NULL ? "" : " ",
	    quoted.lost ? "SCRIPT" : outbox_bytes(&quoted));
}

static int
is_script(char **words)
{
	return words[1] == NULL && strpbrk(words[0], " \t\n|&;<>()$`\\\"'*?") != NULL &&
	    !command_there(words[0]);
}

void
operand_no_script(char **words, const char *shell)
{
	if (words[0] != NULL && is_script(words))
		refuse_script(words[0], shell);
}

/* As bash exports it. */
static int
is_function(const char *word)
{
	struct outbox name = {0};
	int is = outbox_say(&name, "BASH_FUNC_%s%%%%", word) == 0 &&
	    outbox_add(&name, "", 1) == 0 && getenv(outbox_bytes(&name)) != NULL;

	outbox_drop(&name);
	return is;
}

/* A file that might be a list, or else a program that PATH does not have. */
static void
refuse_both(const char *word)
{
	fail(STATUS_TROUBLE, "%s: can be executed, and does not begin with #!: write "
	    "'jobctl -a %s' for a list of commands, 'jobctl sh %s' for a script", word, word, word);
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
		fail(STATUS_NOT_FOUND, "%s: a function of bash: write jobctl --shell bash %s", word,
		    word);
	if (error == 0)
		fail(STATUS_CANNOT_RUN, "%s: neither a program nor a list of commands", word);
	if (error != ENOENT)
		fail(STATUS_CANNOT_RUN, "%s: %s", word, strerror(error));
	fail(STATUS_NOT_FOUND, "%s: no such program%s", word, words[1] == NULL
	    ? ", and no such file of commands" : "");
}

int
operand_is_list(char **words)
{
	const char *word = words[0];
	struct stat st;
	int error = stat(word, &st) == 0 ? 0 : errno;
	int file = error == 0 && S_ISREG(st.st_mode), alone = words[1] == NULL;

	if (file && alone && access(word, X_OK) != 0)
		return 1;
	if (file && alone && (strchr(word, '/') != NULL || !command_there(word)) &&
	    !looks_like_program(word))
		refuse_both(word);
	if (command_there(word))
		return 0;
	if (is_script(words))
		refuse_script(word, NULL);
	if (strchr(word, '{') == NULL) /* else each line may name a program */
		refuse_nothing(words, &st, error);
	return 0;
}
