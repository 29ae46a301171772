#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "makeflags.h"

#define BLANKS " \t"
#define NAMEABLE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._:,=+@%-"

enum { LONGEST = 1500 }; /* bytes of a path: so that it fits into the answer to a client */

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
	complain("%s: MAKEFLAGS cannot carry such a path: at most %d letters, digits and /._:,=+@%%-", path,
	    LONGEST);
	free(all);
	return NULL;
}

/* A backslash protects what follows it, be it a blank. */
static size_t
word_length(const char *word)
{
	size_t n = 0;

	while (word[n] != '\0' && strchr(BLANKS, word[n]) == NULL)
		n += word[n] == '\\' && word[n + 1] != '\0' ? 2 : 1;
	return n;
}

static int
begins(const char *word, const char *with)
{
	for (; *with != '\0'; word++, with++) {
		if (*word == '\\')
			word++;
		if (*word != *with)
			return 0;
	}
	return 1;
}

/* The words of another jobserver. */
static int
is_replaced(const char *word)
{
	return begins(word, "-j") || begins(word, "--jobserver-");
}

/* The first word, if it is of single letters, comes first. What follows " -- " are
   variables, in which nothing is ours. */
static void
copy_words(char *to, const char *from)
{
	const char *word = from + strspn(from, BLANKS);
	size_t length;

	while (*word != '\0') {
		length = word_length(word);
		if (length == 2 && strncmp(word, "--", 2) == 0) {
			sprintf(to, " %s", word);
			return;
		}
		if (!is_replaced(word))
			to += sprintf(to, " %.*s", (int)length, word);
		word += length;
		word += strspn(word, BLANKS);
	}
}

char *
makeflags_text(const char *old, long size, const char *path, int in, int out)
{
	size_t room = (old == NULL ? 0 : 2 * strlen(old)) + (path == NULL ? 0 : strlen(path)) + 200, letters = 0;
	char *text = malloc(room), *end = text;

	if (text == NULL)
		return NULL;
	while (old != NULL && isalpha((unsigned char)old[letters]))
		letters++;
	if (letters > 0 && letters < word_length(old))
		letters = 0; /* a variable */
	end += sprintf(end, "%.*s -j%ld", (int)letters, letters > 0 ? old : "", size);
	if (path != NULL)
		end += sprintf(end, " --jobserver-auth=fifo:%s", path);
	else
		end += sprintf(end, " --jobserver-fds=%d,%d --jobserver-auth=%d,%d", in, out, in, out);
	*end = '\0';
	if (old != NULL)
		copy_words(end, old + letters);
	return text;
}

int
makeflags_known(const char *version)
{
	return strncmp(version, "GNU Make ", 9) == 0;
}

int
makeflags_knows_paths(const char *version)
{
	int major = 0, minor = 0;

	if (sscanf(version, "GNU Make %d.%d", &major, &minor) != 2)
		return 1;
	return major > 4 || (major == 4 && minor >= 4);
}
