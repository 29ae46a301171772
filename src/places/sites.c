#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "places.h"

#define REST "JOBCTL_REST"

enum {
	MOST_SLOTS = 100000,
	SHARED = 10,           /* sessions of one connection: MaxSessions of sshd */
	MOST_FAILURES = 6, FIRST_REST = 1000 /* ms */,
	WORDS = 16, TEXT = 64
};

/* "8/host1": 0, or -1 with errno, EINVAL. */
static int
add_site(struct sites *s, const char *text, size_t length)
{
	size_t digits = strspn(text, "0123456789");
	char number[16], *name;
	long slots = 0;

	errno = EINVAL;
	if (digits > 0 && digits < length && text[digits] == '/') {
		snprintf(number, sizeof number, "%.*s", (int)digits, text);
		if (number_scan(number, 1, MOST_SLOTS, &slots) != 0)
			return -1;
		text += digits + 1;
		length -= digits + 1;
	}
	if (length == 0 || *text == '-' || strcspn(text, " \t") < length)
		return -1;
	s->list = need_memory(room_for(s->list, &s->room, s->count + 1, sizeof *s->list));
	name = need_memory(malloc(length + 1));
	memcpy(name, text, length);
	name[length] = '\0';
	s->list[s->count++] = (struct site){.name = name, .slots = slots};
	return 0;
}

int
sites_add(struct sites *s, const char *list)
{
	for (size_t n;; list += n + 1) {
		n = strcspn(list, ",\n");
		if (add_site(s, list, n) != 0)
			return -1;
		if (list[n] == '\0')
			return 0;
	}
}

int
sites_there(const struct sites *s)
{
	return s->count > 0;
}

/* Without comments, and blanks around: a blank within is for add_site() to refuse. */
static int
read_lines(struct feed *feed, struct outbox *lines)
{
	char *line;
	size_t length;
	int got;

	while ((got = feed_line(feed, &line, &length)) >= 0) {
		if (got == 0) {
			if (feed_fill(feed) != 0)
				return -1;
			continue;
		}
		line += strspn(line, " \t\r");
		length = strcspn(line, "#");
		while (length > 0 && strchr(" \t\r", line[length - 1]) != NULL)
			length--;
		if (length == 0)
			continue;
		if (outbox_waits(lines) > 0)
			outbox_add(lines, "\n", 1);
		outbox_add(lines, line, length);
	}
	return outbox_add(lines, "", 1) != 0 || lines->lost ? -1 : 0;
}

/* By what errno says. */
static void
refuse_places(const struct options *o)
{
	if (errno == ENOENT)
		options_wrong(o, "no place is there");
	options_wrong(o, "not places such as 8/host1,4/me@host2,2/:; options of ssh belong into "
	    "its configuration, or JOBCTL_RSH");
}

static void
add_file(struct sites *s, const struct options *o)
{
	const char *path = options_path(o);
	struct outbox lines = {0};
	struct feed feed;

	if (feed_open(&feed, strcmp(path, "-") == 0 ? NULL : path, '\n') != 0 ||
	    read_lines(&feed, &lines) != 0)
		fail(STATUS_TROUBLE, "%s %s:", o->said, o->argument);
	feed_close(&feed);
	errno = ENOENT;
	if (*outbox_bytes(&lines) == '\0' || sites_add(s, outbox_bytes(&lines)) != 0)
		refuse_places(o);
	outbox_drop(&lines);
}

int
sites_take(struct sites *s, const struct options *o, int code)
{
	switch (code) {
	case 'S':
		if (sites_add(s, o->argument) != 0)
			refuse_places(o);
		break;
	case SITES_FILE: add_file(s, o); break;
	case SITES_WORKDIR: s->directory = options_path(o); break;
	case SITES_VARIABLE:
		if (!shell_is_name(o->argument))
			options_wrong(o, "not the name of a variable");
		s->variables = need_memory(realloc(s->variables,
		    (s->variable_count + 2) * sizeof *s->variables));
		s->variables[s->variable_count++] = "--env";
		s->variables[s->variable_count++] = o->argument;
		break;
	case SITES_BEAT: s->beat_ms = beat_option(o); break;
	case SITES_ONCE: s->once = 1; break;
	default: return 0;
	}
	return 1;
}

void
sites_check(const struct sites *s)
{
	if (sites_there(s))
		number_variable(REST, 0); /* a wrong one is told of now */
	else if (s->beat_ms > 0 || s->directory != NULL || s->variables != NULL || s->once)
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
	char *argv[] = {"sh", "-c", "exec jobat --workdir / -c -- \"$1\" '{ getconf "
	    "_NPROCESSORS_ONLN || nproc || echo 1; } 2>/dev/null' 2>&1", "sh", site->name, NULL};
	char text[256] = "";

	if (is_here(site)) {
		site->slots = processors_usable("");
		return;
	}
	if (command_answer(argv, text, sizeof text) != 0)
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (number_scan(text, 1, MOST_SLOTS, &site->slots) == 0)
		return;
	complain("%s: left out, as its processors cannot be counted: %s", site->name, text);
	site->slots = 0;
}

/* In turn: the first jobs go to different places. */
static void
deal_slots(struct sites *s)
{
	long most = 0, all = 0;

	for (size_t i = 0; i < s->count; i++) {
		all += s->list[i].slots;
		most = s->list[i].slots > most ? s->list[i].slots : most;
	}
	s->of_slot = need_memory(malloc(((size_t)all + 1) * sizeof *s->of_slot));
	s->labels = need_memory(malloc(((size_t)all + 1) * sizeof *s->labels));
	for (long turn = 0; turn < most; turn++)
		for (size_t i = 0; i < s->count; i++)
			if (turn < s->list[i].slots) {
				s->labels[s->slots] = s->list[i].name;
				s->of_slot[s->slots++] = (struct site_slot){i, turn};
			}
}

int
sites_count(struct sites *s, long each)
{
	if (!command_there("jobat"))
		fail(STATUS_TROUBLE, "jobat, which runs jobs at places, is not in PATH");
	for (size_t i = 0; i < s->count; i++) {
		if (s->list[i].slots == 0)
			s->list[i].slots = each;
		if (s->list[i].slots == 0)
			count_slots(&s->list[i]);
	}
	deal_slots(s);
	return sites_left(s) ? 0 : -1;
}

long long
sites_patience_ms(const struct sites *s, long long grace)
{
	return 2 * beat_patience(s->beat_ms > 0 ? s->beat_ms : BEAT_MS, grace);
}

int
sites_open(struct sites *s, long long grace)
{
	s->patience = sites_patience_ms(s, grace);
	return sites_there(s) ? den_make(&s->den) : 0;
}

void
sites_close(struct sites *s)
{
	if (sites_there(s))
		den_end(&s->den, s->patience);
	for (size_t i = 0; i < s->count; i++)
		free(s->list[i].name);
	free(s->list);
	free(s->of_slot);
	free(s->labels);
	free(s->variables);
}

static const struct site *
site_of(const struct sites *s, long slot)
{
	return &s->list[s->of_slot[slot - 1].site];
}

long long
sites_wait_ms(const struct sites *s, long slot)
{
	const struct site *site;

	if (!sites_there(s))
		return 0;
	site = site_of(s, slot);
	return site->dropped ? -1 : clock_wait_ms(site->rests);
}

int
sites_far(const struct sites *s, long slot)
{
	return sites_there(s) && !is_here(site_of(s, slot));
}

char **
sites_argv(const struct sites *s, long slot, char **argv)
{
	static char path[DEN_PATH + TEXT], master[DEN_PATH + TEXT], beat[TEXT];
	const struct site_slot *at = &s->of_slot[slot - 1];
	size_t n = 0, w = 0;
	char **words;

	while (argv[n] != NULL)
		n++;
	if ((words = malloc((n + s->variable_count + WORDS) * sizeof *words)) == NULL)
		return NULL;
	snprintf(path, sizeof path, "%s/%ld", s->den.path, slot);
	snprintf(master, sizeof master, "%s/%zu.%ld", s->den.path, at->site, at->number / SHARED);
	snprintf(beat, sizeof beat, BEAT_FORMAT, (double)s->beat_ms / 1000);
	words[w++] = "jobat";
	words[w++] = "--slot";
	words[w++] = path;
	words[w++] = "--master";
	words[w++] = master;
	if (s->beat_ms > 0) {
		words[w++] = "--beat";
		words[w++] = beat;
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
sites_outcome(struct sites *s, long slot, int status, char *why, size_t size, int quiet)
{
	enum site_end end = SITE_OWN;

	if (!sites_far(s, slot))
		return SITE_OWN;
	if (status == STATUS_GONE || status == STATUS_LOST || status < 0)
		end = read_fate(s, slot, why, size);
	if (status < 0)
		end = SITE_OWN; /* killed: what it may have said is not left for the next */
	sites_ended(s, slot, end, why, quiet);
	return end;
}

/* A failure while the place rests is the same one. */
static void
rest_site(struct site *site, const char *why, int quiet)
{
	if (site->dropped || clock_wait_ms(site->rests) > 0)
		return;
	site->rests = clock_now() + (number_variable(REST, FIRST_REST) << site->failures);
	site->dropped = ++site->failures == MOST_FAILURES;
	if (site->dropped)
		complain("%s: left out from now on, after six failures: %s", site->name, why);
	else if (site->failures == 1 && !quiet)
		complain("%s: cannot be used, and is tried again: %s", site->name, why);
}

void
sites_ended(struct sites *s, long slot, enum site_end end, const char *why, int quiet)
{
	struct site *site;

	if (!sites_far(s, slot))
		return;
	site = &s->list[s->of_slot[slot - 1].site];
	if (end == SITE_NEVER) /* so may other slots of it */
		rest_site(site, why, quiet);
	else if (end == SITE_OWN)
		site->failures = 0;
}

int
sites_left(const struct sites *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].slots > 0 && !s->list[i].dropped)
			return 1;
	return !sites_there(s);
}
