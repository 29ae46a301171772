/*
 * MAKEFLAGS, there and back: our only reader (jobserver.c) must understand the text that
 * makeflags.c writes. The first line is MAKEFLAGS as it was, the second a path.
 */
#include "../../src/lease/jobserver.c"

#include "../../src/lease/lease.h"
#include "ground.h"

/* Our own reader: the next word, to a blank that no backslash protects, ended in place, without its
   backslashes; NULL at the end. */
static char *
next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t"), *from = word, *to = word;

	if (*word == '\0')
		return NULL;
	while (*from != '\0' && *from != ' ' && *from != '\t') {
		if (*from == '\\' && from[1] != '\0')
			from++;
		*to++ = *from++;
	}
	*rest = from + (*from != '\0');
	*to = '\0';
	return word;
}

static int
begins(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

/* The descriptors, or else the path, are found before " -- "; if both are there, the path is behind
   it. */
static void
check_words(const char *text, const char *path, int by_descriptor)
{
	struct announced a = {0};
	char expected[2048];

	read_flags(&a, text);
	snprintf(expected, sizeof expected, by_descriptor ? "7,8" : "fifo:%s", path);
	if (a.auth == NULL ? strchr(text, 'n') == NULL : strcmp(a.auth, expected) != 0)
		wrong("'%s' is read as '%s'", text, a.auth == NULL ? "nothing" : a.auth);
	if (a.auth != NULL && by_descriptor &&
	    (a.path == NULL ? path[0] != '\0' : strcmp(a.path, path) != 0))
		wrong("'%s' has the path '%s'", text, a.path == NULL ? "nothing" : a.path);
	free(a.auth);
	free(a.path);
	if (strstr(text, "--jobserver-auth=") == NULL)
		wrong("'%s' has no jobserver", text);
}

static int
is_about_jobs(const char *word)
{
	return begins(word, "-j") || begins(word, "--jobserver-");
}

/* The next word that is kept, or NULL. Behind " -- " (*behind) all words are but a jobserver's. */
static char *
next_kept(char **rest, int *behind)
{
	char *word;

	while ((word = next_word(rest)) != NULL)
		if (!*behind && strcmp(word, "--") == 0)
			*behind = 1;
		else if (*behind ? !begins(word, "--jobserver-") : !is_about_jobs(word))
			break;
	return word;
}

/* Beside our words there are the other words of the old text, in their order, and no more. (The
   letters come first.) */
static void
check_kept(const char *old, const char *text)
{
	char *was = malloc(strlen(old) + 1), *is = malloc(strlen(text) + 1), *from, *to, *word, *kept;
	int was_behind = 0, is_behind = 0;

	if (was == NULL || is == NULL)
		wrong("no memory");
	from = strcpy(was, old);
	to = strcpy(is, text);
	do {
		word = next_kept(&from, &was_behind);
		kept = next_kept(&to, &is_behind);
		if (word == NULL ? kept != NULL : kept == NULL || strcmp(kept, word) != 0 ||
		            was_behind != is_behind)
			wrong("'%s' of '%s' is '%s' in '%s'", word == NULL ? "nothing" : word, old,
			    kept == NULL ? "nothing" : kept, text);
	} while (word != NULL);
	free(was);
	free(is);
}

static void
check(const char *old, const char *path, int by_descriptor)
{
	char *text = makeflags_text(old, 3, path, by_descriptor ? 7 : -1, by_descriptor ? 8 : -1);

	if (text == NULL)
		wrong("no memory");
	check_words(text, path == NULL ? "" : path, by_descriptor);
	if (old != NULL)
		check_kept(old, text);
	free(text);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *lines = ground_text(data, size), *rest = lines, *old, *name, *path = NULL;

	old = line_next(&rest);
	name = line_next(&rest);
	if (name != NULL)
		path = makeflags_path(name, ".d");
	if (path != NULL && (path[0] != '/' || strpbrk(path, " \t\n'\"\\$`;") != NULL))
		wrong("'%s' cannot be carried", path);
	check(old, NULL, 1);
	if (path != NULL) {
		check(old, path, 0);
		check(old, path, 1);
	}
	free(path);
	free(lines);
	return 0;
}
