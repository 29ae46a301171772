/*
 * jobctl's lists of arguments, and the groups that become jobs. The first byte chooses options, the
 * second how many records make a job; the rest are the lists, each a file, with a 0x1e between
 * them. The results are counted again; a single list without columns gives its lines.
 */
#define _REGEX_NELTS(n) /* as source.c */
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/jobctl/jobctl.h"
#include "ground.h"

enum { LISTS = 3, MOST_SIZE = 60, MOST_JOBS = 100000 };

struct run {
	struct source_terms terms;
	struct origin origins[LISTS];
	struct recipe recipe;
	struct source source;
	struct group group;
	int fits, bad;        /* -X; a line has a NUL in it */
	long jobs;
	struct outbox all;    /* arguments of all jobs */
};

static const char *const names[] = {"0", "1", "2"};

static size_t
open_lists(struct run *run, const unsigned char *data, size_t size)
{
	const unsigned char *end;
	size_t n = 0, length;

	for (; n < LISTS; n++) {
		end = n + 1 < LISTS ? memchr(data, 0x1e, size) : NULL;
		length = end == NULL ? size : (size_t)(end - data);
		ground_write(names[n], data, length);
		run->origins[n] = (struct origin){.path = names[n]};
		if (end == NULL)
			return n + 1;
		data += length + 1;
		size -= length + 1;
	}
	return n;
}

static void
check_job(struct run *run, const struct arguments *given, const char *why)
{
	const char *at = given->text, *end = at + given->length;
	size_t longest = 0;
	long count = 0;

	if (why != NULL) {
		run->bad = 1;
		return;
	}
	for (; at < end; at += strlen(at) + 1, count++)
		if (strlen(at) + 1 > longest)
			longest = strlen(at) + 1;
	if (at != end || count != given->count)
		wrong("%ld arguments instead of %ld", count, given->count);
	if (run->fits && recipe_size(&run->recipe, given, longest, 0) > MOST_SIZE)
		wrong("a command that is too long");
	outbox_add(&run->all, given->text, given->length);
}

static void
run_all(struct run *run)
{
	struct arguments given;
	const char *why;
	int got;

	while ((got = group_next(&run->group, &given, &why)) >= 0) {
		if (got > 0)
			check_job(run, &given, why);
		else if (feed_fill(&run->source.feed) != 0)
			wrong("a file that cannot be read");
		if (got > 0 && ++run->jobs == MOST_JOBS)
			break;
	}
}

/* The arguments are the lines of the only list, in order. */
static void
check_lines(const struct run *run, const unsigned char *data, size_t size)
{
	const char *got = outbox_bytes(&run->all);
	size_t n = outbox_waits(&run->all);

	if (n != size + (size > 0 && data[size - 1] != (unsigned char)run->terms.separator))
		wrong("%lu bytes of %lu", (unsigned long)n, (unsigned long)size);
	for (size_t i = 0; i < size; i++)
		if (got[i] != (data[i] == (unsigned char)run->terms.separator ? '\0'
		    : (char)data[i]))
			wrong("another byte at %lu", (unsigned long)i);
}

static void
free_all(struct run *run)
{
	outbox_drop(&run->group.held);
	free(run->group.records);
	if (run->source.feed.fd >= 0)
		feed_close(&run->source.feed);
	for (size_t i = 0; i < run->source.count; i++) {
		free(run->source.lists[i].items);
		free(run->source.lists[i].bytes);
	}
	free(run->source.lists);
	if (run->source.columns != NULL)
		regfree(run->source.columns);
	free(run->source.columns);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *words[] = {"echo", NULL};
	struct run run = {.recipe = {.several = 1}};
	int how;

	if (size < 2)
		return 0;
	ground_enter();
	how = data[0];
	run.terms = (struct source_terms){.origins = run.origins, .separator = how & 2 ? '\0' : '\n',
	    .columns = how & 1 ? "[,;]|xy*" : NULL, .skip_blank = (how & 4) != 0,
	    .end = how & 8 ? "E" : NULL};
	run.terms.count = open_lists(&run, data + 2, size - 2);
	run.fits = (how & 16) != 0;
	if (recipe_open(&run.recipe, words, 0) != 0)
		wrong("no memory");
	source_open(&run.source, &run.terms);
	group_open(&run.group, &run.source, &run.recipe, data[1] % 5 + 1, run.fits ? MOST_SIZE : 0,
	    run.fits ? 2 : -1);
	run_all(&run);
	if (run.terms.count == 1 && (how & 13) == 0 && !run.bad)
		check_lines(&run, data + 2, size - 2);
	outbox_drop(&run.all);
	free_all(&run);
	return 0;
}
