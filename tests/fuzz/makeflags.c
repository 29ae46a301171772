/*
 * MAKEFLAGS, there and back: what makeflags.c writes, the one reader of it that we have
 * (jobserver.c) must understand. The first line is MAKEFLAGS as it was, the second a path,
 * the third the first line of a make's --version.
 */
#include "../../src/lease/jobserver.c"

#include "../../src/lease/makeflags.h"
#include "ground.h"

/* A reader of our own. Words end at a blank that no backslash protects. Ended in place, backslashes
   removed; NULL at the end. */
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

/* Behind " -- " all is as it was, and before it nothing of another jobserver. */
static void
check_words(const char *text, const char *path)
{
	char *rest, *auth, expected[2048];
	const char *why;

	auth = announced(text, &why);
	snprintf(expected, sizeof expected, "fifo:%s", path);
	if (auth == NULL ? strchr(text, 'n') == NULL : strcmp(auth, path[0] != '\0' ? expected : "7,8") != 0)
		wrong("'%s' is read as '%s'", text, auth == NULL ? "nothing" : auth);
	free(auth);
	rest = strstr(text, "--jobserver-auth=");
	if (rest == NULL)
		wrong("'%s' has no jobserver", text);
}

static int
is_about_jobs(const char *word)
{
	return begins(word, "-j") || begins(word, "--jobserver-");
}

/* Behind ours are the other words of what was there, in their order. (The letters come
   first.) */
static void
check_kept(const char *old, const char *text)
{
	char *was = malloc(strlen(old) + 1), *is = malloc(strlen(text) + 1), *from, *to, *word, *kept;

	if (was == NULL || is == NULL)
		wrong("no memory");
	from = strcpy(was, old);
	to = strcpy(is, text);
	while ((word = next_word(&from)) != NULL && strcmp(word, "--") != 0) {
		if (is_about_jobs(word))
			continue;
		while ((kept = next_word(&to)) != NULL && is_about_jobs(kept))
			;
		if (kept == NULL || strcmp(kept, word) != 0)
			wrong("'%s' of '%s' is not in '%s'", word, old, text);
	}
	free(was);
	free(is);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *lines = ground_text(data, size), *rest = lines, *old, *name, *version, *path = NULL, *text;

	old = line_next(&rest);
	name = line_next(&rest);
	version = line_next(&rest);
	if (version != NULL && makeflags_known(version) && strncmp(version, "GNU Make 4.3", 12) == 0 &&
	    version[12] != '\0' && strchr("0123456789", version[12]) == NULL && makeflags_knows_paths(version))
		wrong("'%s' knows no paths", version);
	if (name != NULL)
		path = makeflags_path(name, ".d");
	if (path != NULL && (path[0] != '/' || strpbrk(path, " \t\n'\"\\$`;") != NULL))
		wrong("'%s' cannot be carried", path);
	text = makeflags_text(old, 3, path, 7, 8);
	if (text == NULL)
		wrong("no memory");
	check_words(text, path == NULL ? "" : path);
	if (old != NULL)
		check_kept(old, text);
	free(text);
	free(path);
	free(lines);
	return 0;
}
