#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lease.h"

#define BLANKS " \t"
#define NAMEABLE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._:,=+@%-"

enum { LONGEST = 1500 }; /* bytes of a path: it has to fit into the answer to a client */

int
makeflags_carries(const char *path)
{
	return path[0] == '/' && path[strspn(path, NAMEABLE)] == '\0';
}

char *
makeflags_path(const char *path, const char *suffix)
{
	char here[LONGEST + 1] = "", *all;
	size_t room;

	if (path[0] != '/' && getcwd(here, sizeof here) == NULL) {
		complain("the working directory:");
		return NULL;
	}
	room = strlen(here) + strlen(path) + strlen(suffix) + 2;
	if ((all = malloc(room)) == NULL) {
		complain("%s:", path);
		return NULL;
	}
	snprintf(all, room, "%s%s%s%s", here, here[0] != '\0' ? "/" : "", path, suffix);
	if (strlen(all) <= LONGEST && makeflags_carries(all))
		return all;
	complain("%s: MAKEFLAGS cannot carry that path: at most %d letters, digits or /._:,=+@%%-",
	    path, LONGEST);
	free(all);
	return NULL;
}

size_t
makeflags_word(const char **text, const char **word)
{
	size_t n = 0;

	*word = *text + strspn(*text, BLANKS);
	while ((*word)[n] != '\0' && strchr(BLANKS, (*word)[n]) == NULL)
		n += (*word)[n] == '\\' && (*word)[n + 1] != '\0' ? 2 : 1;
	*text = *word + n;
	return n;
}

const char *
makeflags_after(const char *word, const char *with)
{
	for (; *with != '\0'; word++, with++) {
		if (*word == '\\')
			word++;
		if (*word != *with)
			return NULL;
	}
	return word;
}

/* 1 if its last backslash protects nothing, such as at the end of a text. */
static int
ends_open(const char *word, size_t length)
{
	size_t n = 0;

	while (n < length && word[length - 1 - n] == '\\')
		n++;
	return n % 2 == 1;
}

/* Copies the words that name no jobserver, each behind a blank; then the path, if any, as the last
   variable. Among variables, which follow " -- ", only such a path names a jobserver. */
static void
copy_words(char *to, const char *from, const char *path)
{
	const char *word;
	int variables = 0, any = 0;
	size_t length;

	while ((length = makeflags_word(&from, &word)) > 0)
		if (!variables && makeflags_after(word, "--") == from) {
			variables = 1;
		} else if (makeflags_after(word, "--jobserver-") == NULL &&
		    (variables || makeflags_after(word, "-j") == NULL)) {
			to += sprintf(to, "%s%.*s%s", variables > any ? " -- " : " ", (int)length,
			    word, ends_open(word, length) ? "\\" : "");
			any = variables;
		}
	if (path != NULL)
		sprintf(to, "%s--jobserver-auth=fifo:%s", any ? " " : " -- ", path);
}

char *
makeflags_text(const char *old, long size, const char *path, int in, int out)
{
	size_t room = (old == NULL ? 0 : 2 * strlen(old)) + (path == NULL ? 0 : strlen(path)) + 300;
	size_t letters = 0;
	char *text = malloc(room), *end = text;
	const char *rest = old, *first;

	if (text == NULL)
		return NULL;
	while (old != NULL && isalpha((unsigned char)old[letters]))
		letters++;
	if (letters > 0 && letters < makeflags_word(&rest, &first))
		letters = 0; /* a variable */
	end += sprintf(end, "%.*s -j%ld", (int)letters, letters > 0 ? old : "", size);
	if (in >= 0)
		end += sprintf(end, " --jobserver-fds=%d,%d --jobserver-auth=%d,%d", in, out, in,
		    out);
	else if (path != NULL)
		end += sprintf(end, " --jobserver-auth=fifo:%s", path);
	copy_words(end, old != NULL ? old + letters : "", in >= 0 ? path : NULL);
	return text;
}
