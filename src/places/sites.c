#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/command.h"
#include "../lib/complain.h"
#include "../lib/feed.h"
#include "../lib/number.h"
#include "../lib/options.h"
#include "../lib/processors.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "beat.h"
#include "shell.h"
#include "sites.h"

enum {
	MOST_SLOTS = 100000,
	SHARED = 10,           /* sessions of one connection: MaxSessions of sshd */
	WORDS = 16, TEXT = 64
};

/* One of a list, which is cut out of it. */
static int
add(struct sites *s, const char *text, size_t length)
{
	size_t digits = strspn(text, "0123456789");
	struct site *list, site = {0};
	char number[16];

	if (digits > 0 && digits < length && text[digits] == '/') {
		snprintf(number, sizeof number, "%.*s", (int)digits, text);
		if (number_scan(number, 1, MOST_SLOTS, &site.slots) != 0) {
			errno = EINVAL;
			return -1;
		}
		text += digits + 1;
		length -= digits + 1;
	}
	if (length == 0 || *text == '-' || memchr(text, ' ', length) != NULL) {
		errno = EINVAL;
		return -1;
	}
	if ((list = room_for(s->list, &s->room, s->count + 1, sizeof *list)) == NULL)
		return -1;
	s->list = list;
	if ((site.name = malloc(length + 1)) == NULL)
		return -1;
	memcpy(site.name, text, length);
	site.name[length] = '\0';
	list[s->count++] = site;
	return 0;
}

/* "8/host1,host2": 0, or -1 with errno, EINVAL. */
static int
add_list(struct sites *s, const char *list)
{
	for (size_t n;; list += n + 1) {
		n = strcspn(list, ",\n");
		if (add(s, list, n) != 0)
			return -1;
		if (list[n] == '\0')
			return 0;
	}
}

/* One on each line, likewise. */
static int
read_file(struct sites *s, const char *path)
{
	struct feed feed;
	char *line;
	size_t length;
	int got, bad = 0;

	if (feed_open(&feed, strcmp(path, "-") == 0 ? NULL : path, '\n') != 0)
		return -1;
	while (!bad && (got = feed_line(&feed, &line, &length)) >= 0) {
		if (got == 0) {
			bad = feed_fill(&feed) != 0;
			continue;
		}
		line += strspn(line, " \t");
		line[strcspn(line, "# \t\r")] = '\0';
		if (*line != '\0')
			bad = add_list(s, line) != 0;
	}
	feed_close(&feed);
	return bad ? -1 : 0;
}

/* A variable for jobs, likewise. */
static int
add_variable(struct sites *s, char *name)
{
	char **list;

	if (!shell_is_name(name)) {
		errno = EINVAL;
		return -1;
	}
	if ((list = realloc(s->variables, (s->variable_count + 2) * sizeof *list)) == NULL)
		return -1;
	list[s->variable_count++] = "--env";
	list[s->variable_count++] = name;
	s->variables = list;
	return 0;
}

static void
take_places(struct sites *s, const struct options *o, int code)
{
	size_t before = s->count;
	int got = code == 'S' ? add_list(s, o->argument) : read_file(s, options_path(o));

	if (got == 0 && s->count > before)
		return;
	if (got == 0)
		options_wrong(o, "there is no place in it");
	if (errno != EINVAL)
		fail(STATUS_TROUBLE, "%s %s:", o->said, o->argument);
	options_wrong(o, "not places such as 8/host1,4/me@host2,2/:; options of ssh belong into "
	    "its configuration, or JOBCTL_RSH");
}

int
sites_take(struct sites *s, const struct options *o, int code)
{
	switch (code) {
	case 'S': case SITES_FILE: take_places(s, o, code); break;
	case SITES_WORKDIR: s->directory = options_path(o); break;
	case SITES_VARIABLE:
		if (add_variable(s, o->argument) == 0)
			break;
		if (errno == EINVAL)
			options_wrong(o, "not the name of a variable");
		fail(STATUS_TROUBLE, "no memory:");
		break;
	case SITES_BEAT: s->beat = number_option(o, 1, BEAT_LONGEST); break;
	case SITES_ONCE: s->once = 1; break;
	default: return 0;
	}
	return 1;
}

void
sites_check(const struct sites *s)
{
	if (s->count == 0 &&
	    (s->beat > 0 || s->directory != NULL || s->variables != NULL || s->once))
		fail(STATUS_TROUBLE, "--beat, --env, --once and --workdir are for jobs at "
		    "places: there is no -S");
}

static int
is_here(const struct site *site)
{
	return strcmp(site->name, ":") == 0;
}

/* As many as it has processors. A place that does not say it is left out, after a message. */
static void
count_slots(struct site *site)
{
	char *argv[] = {"jobat", "--workdir", "/", "-c", "--", site->name,
	    "getconf _NPROCESSORS_ONLN || nproc || echo 1", NULL};
	char text[32] = "";

	if (is_here(site)) {
		site->slots = processors_usable("");
		return;
	}
	if (command_answer(argv, text, sizeof text) != 0)
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (number_scan(text, 1, MOST_SLOTS, &site->slots) == 0)
		return;
	complain("%s: left out, for it does not say how many processors it has; try: jobat %s true",
	    site->name, site->name);
	site->slots = 0;
}

/* In turn: the first jobs go to different places. */
static char **
deal_slots(struct sites *s)
{
	char **labels = calloc((size_t)s->slots + 1, sizeof *labels);
	long given = 0;

	s->of_slot = calloc((size_t)s->slots + 1, sizeof *s->of_slot);
	if (labels == NULL || s->of_slot == NULL)
		return NULL;
	for (long turn = 0; given < s->slots; turn++)
		for (size_t i = 0; i < s->count; i++)
			if (turn < s->list[i].slots) {
				labels[given] = s->list[i].name;
				s->of_slot[given++] = i;
			}
	return labels;
}

char **
sites_count(struct sites *s, long each)
{
	if (!command_there("jobat"))
		fail(STATUS_TROUBLE, "jobat, which runs jobs at places, is not in PATH");
	for (size_t i = 0; i < s->count; i++) {
		if (s->list[i].slots == 0)
			s->list[i].slots = each;
		if (s->list[i].slots == 0)
			count_slots(&s->list[i]);
		s->slots += s->list[i].slots;
	}
	errno = EHOSTUNREACH;
	return s->slots == 0 ? NULL : deal_slots(s);
}

long long
sites_patience_ms(const struct sites *s, long long grace)
{
	return 2 * beat_patience(s->beat > 0 ? s->beat : BEAT_SECONDS, grace);
}

int
sites_open(struct sites *s, long long grace)
{
	s->patience = sites_patience_ms(s, grace);
	return s->count > 0 ? den_make(&s->den) : 0;
}

void
sites_close(struct sites *s)
{
	if (s->count > 0)
		den_end(&s->den, s->patience);
	for (size_t i = 0; i < s->count; i++)
		free(s->list[i].name);
	free(s->list);
	free(s->of_slot);
	free(s->variables);
}

static const struct site *
site_of(const struct sites *s, long slot)
{
	return &s->list[s->of_slot[slot - 1]];
}

long long
sites_wait_ms(const struct sites *s, long slot)
{
	if (s->count == 0)
		return 0;
	return rest_wait_ms(&site_of(s, slot)->rest);
}

int
sites_far(const struct sites *s, long slot)
{
	return s->count > 0 && !is_here(site_of(s, slot));
}

/* Which of the slots of its place it is, from 0. */
static long
number_there(const struct sites *s, long slot)
{
	long number = 0;

	for (long other = 1; other < slot; other++)
		number += s->of_slot[other - 1] == s->of_slot[slot - 1];
	return number;
}

/* The pointers come first, then the texts of ours. */
char **
sites_argv(const struct sites *s, long slot, char **argv)
{
	size_t n = 0, w = 0;
	char **words, *text;

	while (argv[n] != NULL)
		n++;
	words = malloc((n + s->variable_count + WORDS) * sizeof *words + 3 * (DEN_PATH + TEXT));
	if (words == NULL)
		return NULL;
	text = (char *)(words + n + s->variable_count + WORDS);
	words[w++] = "jobat";
	words[w++] = "--slot";
	words[w++] = text;
	text += snprintf(text, DEN_PATH + TEXT, "%s/%ld", s->den.path, slot) + 1;
	words[w++] = "--master";
	words[w++] = text;
	text += snprintf(text, DEN_PATH + TEXT, "%s/%zu.%ld", s->den.path, s->of_slot[slot - 1],
	    number_there(s, slot) / SHARED) + 1;
	if (s->beat > 0) {
		words[w++] = "--beat";
		words[w++] = text;
		snprintf(text, TEXT, "%ld", s->beat);
	}
	if (s->directory != NULL) {
		words[w++] = "--workdir";
		words[w++] = (char *)s->directory;
	}
	for (size_t i = 0; i < s->variable_count; i++)
		words[w++] = s->variables[i];
	words[w++] = "--";
	words[w++] = site_of(s, slot)->name;
	memcpy(words + w, argv, (n + 1) * sizeof *words);
	return words;
}

/* Takes the first line of the file that jobat has written, if it has. */
static enum site_end
read_fate(const struct sites *s, long slot, char *why, size_t size)
{
	char path[DEN_PATH + TEXT], line[512], *reason;
	FILE *file;

	snprintf(path, sizeof path, "%s/%ld.fate", s->den.path, slot);
	if ((file = fopen(path, "r")) == NULL)
		return SITE_OWN;
	if (fgets(line, sizeof line, file) == NULL)
		line[0] = '\0';
	fclose(file);
	unlink(path);
	line[strcspn(line, "\n")] = '\0';
	reason = line + strcspn(line, " ");
	snprintf(why, size, "%s", *reason == ' ' ? reason + 1 : "");
	return *line == 'n' ? SITE_NEVER : *line == 'l' ? SITE_LOST : SITE_OWN;
}

enum site_end
sites_outcome(struct sites *s, long slot, int status, char *why, size_t size, int *news)
{
	enum site_end end = SITE_OWN;
	struct site *site;

	*news = 0;
	if (!sites_far(s, slot))
		return SITE_OWN;
	site = &s->list[s->of_slot[slot - 1]];
	if (status == STATUS_GONE || status == STATUS_LOST || status < 0)
		end = read_fate(s, slot, why, size);
	if (status < 0)
		end = SITE_OWN; /* killed: what it may have said is not left for the next */
	if (end == SITE_NEVER)
		*news = rest_failed(&site->rest); /* other slots of it may fail at the same time */
	else if (end == SITE_OWN)
		rest_worked(&site->rest);
	return end;
}

int
sites_left(const struct sites *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].slots > 0 && !s->list[i].rest.dropped)
			return 1;
	return s->count == 0;
}
