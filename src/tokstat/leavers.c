#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/complain.h"
#include "../lib/family.h"
#include "../lib/outbox.h"
#include "../lib/status.h"
#include "leavers.h"
#include "running.h"

#define BETWEEN "\n" /* arguments */
#define DIGITS "0123456789"

enum { LONGEST = 40 /* bytes of a name, and of a number */ };

/* Programs that do so, and their other options of one letter: the first ones need an argument,
   the second ones may have it in the same word. */
static const struct builder {
	const char *name, *needing, *having;
} builders[] = {
    {"make", "CEIWfo", "Ol"}, {"gmake", "CEIWfo", "Ol"}, {"ninja", "Cdfkltw", ""},
    {"ninja-build", "Cdfkltw", ""},
};

static size_t
length_of(const char *word)
{
	return strcspn(word, BETWEEN);
}

/* The next word, or "" at the end. */
static const char *
after(const char *word)
{
	word += length_of(word);
	return *word == '\0' ? word : word + 1;
}

static const char *
base_of(const char *word)
{
	const char *base = word;

	for (size_t i = 0; i < length_of(word); i++)
		if (word[i] == '/')
			base = word + i + 1;
	return base;
}

/* By that name, or with a version behind it, as make-4.4 is. */
static const struct builder *
builder_of(const char *base)
{
	const struct builder *found = NULL;

	for (size_t i = 0; i < sizeof builders / sizeof *builders; i++) {
		size_t length = strlen(builders[i].name);

		if (strncmp(base, builders[i].name, length) == 0 &&
		    length + strspn(base + length, "-." DIGITS) == length_of(base))
			found = builders + i;
	}
	return found;
}

/* The number of a -j that ends its word: the next one, if it is a number, else "". */
static const char *
number_after(const char *word)
{
	const char *next = after(word);

	return strspn(next, DIGITS) == length_of(next) ? next : "";
}

/* Letters of one word: the number behind a j, or NULL; *skip: the next word is an argument. */
static const char *
in_letters(const struct builder *builder, const char *word, int *skip)
{
	const char *end = word + length_of(word);

	for (const char *p = word + 1; p < end; p++) {
		if (*p == 'j')
			return p + 1 < end ? p + 1 : number_after(word);
		if (strchr(builder->needing, *p) != NULL) {
			*skip = p + 1 == end;
			return NULL;
		}
		if (strchr(builder->having, *p) != NULL)
			return NULL;
	}
	return NULL;
}

/* The number behind its -j, which may be "", or NULL where it has none. */
static const char *
jobs_of(const struct builder *builder, const char *word)
{
	const char *jobs = NULL;

	while (jobs == NULL && *word != '\0' && !(length_of(word) == 2 &&
	    strncmp(word, "--", 2) == 0)) {
		int skip = 0;

		if (strncmp(word, "--jobs=", 7) == 0)
			jobs = word + 7;
		else if (strncmp(word, "--jobs", 6) == 0 && length_of(word) == 6)
			jobs = number_after(word);
		else if (word[0] == '-' && word[1] != '-')
			jobs = in_letters(builder, word, &skip);
		word = after(skip ? after(word) : word);
	}
	return jobs;
}

/* Its name, if it has left; or NULL. */
static char *
left_as(const char *words)
{
	const char *base = base_of(words), *jobs;
	const struct builder *builder = builder_of(base);
	struct outbox text = {0};

	if (builder == NULL || (jobs = jobs_of(builder, after(words))) == NULL)
		return NULL;
	outbox_say(&text, "%.*s -j%.*s", length_of(base) < LONGEST ? (int)length_of(base) : LONGEST,
	    base, (int)strspn(jobs, DIGITS) < LONGEST ? (int)strspn(jobs, DIGITS) : LONGEST, jobs);
	outbox_text(&text);
	return outbox_whole(&text);
}

char *
leavers_find(struct running *running, const struct family *all, pid_t root)
{
	const struct process *first = family_find(all, root);
	struct family family = {0};
	char *found = NULL;

	if (first == NULL)
		return NULL;
	if (family_add(&family, first) != 0 ||
	    family_spread(&family, all, NULL, NULL) != 0)
		fail(STATUS_TROUBLE, "no memory:");
	for (size_t i = 0; i < family.count && found == NULL; i++) {
		struct outbox words = {0};

		if (running_command(running, family.list[i].pid, &words, *BETWEEN) == 1)
			found = left_as(outbox_text(&words));
		outbox_drop(&words);
	}
	free(family.list);
	return found;
}
