#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/command.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/feed.h"
#include "../lib/number.h"
#include "../lib/options.h"
#include "../lib/outbox.h"
#include "../lib/processors.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "beat.h"
#include "shell.h"
#include "sites.h"

enum {
	MOST_SLOTS = 100000,
	GRAIN = 2,             /* seconds, in which two changes may have the same time */
	SHARED = 10,           /* sessions of one connection: MaxSessions of sshd */
	MOST_FAILURES = 6, FIRST_REST = 1000 /* ms */,
	WORDS = 16, TEXT = 64
};

/* "8/host1": the number, or 0, and where the name begins; or -1 with errno, EINVAL. */
static long
count_of(const char *text, size_t length, size_t *skip)
{
	size_t digits = strspn(text, "0123456789");
	char number[16];
	long slots = 0;

	errno = EINVAL;
	*skip = digits > 0 && digits < length && text[digits] == '/' ? digits + 1 : 0;
	snprintf(number, sizeof number, "%.*s", (int)digits, text);
	if (*skip > 0 && number_scan(number, 1, MOST_SLOTS, &slots) != 0)
		return -1;
	text += *skip;
	length -= *skip;
	return length == 0 || *text == '-' || strcspn(text, " \t") < length ? -1 : slots;
}

/* The one that has this name in that file, and was not seen there before; or a new one. */
static struct site *
find(struct sites *s, const char *name, size_t length, size_t file)
{
	struct site *list;

	for (size_t i = 0; file > 0 && i < s->count; i++)
		if (s->list[i].file == file && !s->list[i].seen &&
		    strncmp(s->list[i].name, name, length) == 0 && s->list[i].name[length] == '\0')
			return &s->list[i];
	if ((list = room_for(s->list, &s->room, s->count + 1, sizeof *list)) == NULL)
		return NULL;
	s->list = list;
	list += s->count;
	*list = (struct site){.name = malloc(length + 1), .file = file};
	if (list->name == NULL)
		return NULL;
	memcpy(list->name, name, length);
	list->name[length] = '\0';
	s->count++;
	return list;
}

/* Takes one of a list. A place that comes back is forgiven. */
static int
add(struct sites *s, const char *text, size_t length, size_t file)
{
	size_t skip;
	long slots = count_of(text, length, &skip);
	struct site *site = slots < 0 ? NULL : find(s, text + skip, length - skip, file);

	if (site == NULL)
		return -1;
	if (site->away) {
		site->failures = site->dropped = 0;
		site->rests = 0;
		site->away = 0;
	}
	site->seen = 1;
	if (slots > 0 || site->dealt == 0)
		site->slots = slots;
	return 0;
}

static int
is_list(const char *list)
{
	for (size_t n, skip;; list += n + 1) {
		n = strcspn(list, ",\n");
		if (count_of(list, n, &skip) < 0)
			return 0;
		if (list[n] == '\0')
			return 1;
	}
}

static int
add_all(struct sites *s, const char *list, size_t file)
{
	for (size_t n;; list += n + 1) {
		n = strcspn(list, ",\n");
		if (add(s, list, n, file) != 0)
			return -1;
		if (list[n] == '\0')
			return 0;
	}
}

int
sites_add(struct sites *s, const char *list)
{
	return add_all(s, list, 0);
}

/* From now on those of that file, counted from 1, are these. 0, or -1 with errno: EINVAL, when all
   is as before. */
static int
replace(struct sites *s, const char *list, size_t file)
{
	if (*list != '\0' && !is_list(list))
		return -1;
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].file == file)
			s->list[i].seen = 0;
	if (*list != '\0' && add_all(s, list, file) != 0)
		return -1;
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].file == file)
			s->list[i].away = !s->list[i].seen;
	return 0;
}

int
sites_there(const struct sites *s)
{
	return s->count > 0 || s->file_count > 0;
}

/* Without comments, and blanks around: a blank within is for count_of() to refuse. */
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

/* Reads its places, as sites_add() takes them. 0, or -1 with errno. */
static int
read_file(struct site_file *file, struct outbox *lines)
{
	struct feed feed;
	int result = -1, reason;

	if (feed_open(&feed, strcmp(file->path, "-") == 0 ? NULL : file->path, '\n') != 0)
		return -1;
	if (fstat(feed.fd, &file->was) == 0)
		result = read_lines(&feed, lines);
	file->fresh = time(NULL) - file->was.st_mtime < GRAIN;
	reason = errno;
	feed_close(&feed);
	errno = reason;
	return result;
}

/* A file may be read again, and may list none now; anything else may not. */
static int
add_lines(struct sites *s, const struct site_file *file, const char *lines)
{
	struct site_file *list;

	if (strcmp(file->path, "-") == 0 || !S_ISREG(file->was.st_mode)) {
		errno = ENOENT;
		return *lines == '\0' ? -1 : sites_add(s, lines);
	}
	list = room_for(s->files, &s->file_room, s->file_count + 1, sizeof *list);
	if (list == NULL)
		return -1;
	s->files = list;
	list[s->file_count++] = *file;
	return replace(s, lines, s->file_count);
}

/* By what errno says. */
static void
refuse(const struct options *o)
{
	if (errno == ENOENT)
		options_wrong(o, "no place is there; only a file is read again");
	if (errno != EINVAL)
		fail(STATUS_TROUBLE, "%s %s:", o->said, o->argument);
	options_wrong(o, "not places such as 8/host1,4/me@host2,2/:; options of ssh belong into "
	    "its configuration, or JOBCTL_RSH");
}

static void
add_file(struct sites *s, const struct options *o)
{
	struct site_file file = {.path = options_path(o)};
	struct outbox lines = {0};

	if (read_file(&file, &lines) != 0)
		fail(STATUS_TROUBLE, "%s %s:", o->said, o->argument);
	if (add_lines(s, &file, outbox_bytes(&lines)) != 0)
		refuse(o);
	outbox_drop(&lines);
}

static int
is_same(const struct site_file *file, const struct stat *now)
{
	const struct stat *was = &file->was;

	return !file->fresh && descriptors_same(was, now) && was->st_size == now->st_size &&
	    was->st_mtime == now->st_mtime && was->st_ctime == now->st_ctime;
}

int
sites_read_again(struct sites *s, struct site_file *file)
{
	struct outbox lines = {0};
	struct stat now;
	int result, reason;

	if (stat(file->path, &now) != 0 || !S_ISREG(now.st_mode) || is_same(file, &now))
		return 0; /* it may be about to be replaced; to open a FIFO could wait */
	result = read_file(file, &lines) != 0 ||
	    replace(s, outbox_bytes(&lines), (size_t)(file - s->files) + 1) != 0 ? -1 : 1;
	reason = errno;
	outbox_drop(&lines);
	errno = reason;
	return result;
}

/* A variable for jobs: 0, or -1 with errno, EINVAL for what is no name of one. */
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

int
sites_take(struct sites *s, const struct options *o, int code)
{
	switch (code) {
	case 'S':
		if (sites_add(s, o->argument) != 0)
			refuse(o);
		break;
	case SITES_FILE: add_file(s, o); break;
	case SITES_WORKDIR: s->directory = options_path(o); break;
	case SITES_VARIABLE:
		if (add_variable(s, o->argument) == 0)
			break;
		if (errno == EINVAL)
			options_wrong(o, "not the name of a variable");
		fail(STATUS_TROUBLE, "no memory:");
		break;
	case SITES_BEAT: s->beat_ms = beat_option(o); break;
	case SITES_ONCE: s->once = 1; break;
	default: return 0;
	}
	return 1;
}

/* $JOBCTL_REST, or a second; exits with a message if it is no time. */
static long long
first_rest_ms(void)
{
	return number_variable("JOBCTL_REST", FIRST_REST);
}

void
sites_check(const struct sites *s)
{
	if (sites_there(s))
		first_rest_ms(); /* a wrong one is told of now */
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

static int
has_new(const struct site *site, long turn)
{
	return !site->away && site->dealt <= turn && turn < site->slots;
}

/* In turn: the first jobs go to different places. */
static int
deal(struct sites *s)
{
	size_t need = (size_t)s->slots + 1;
	struct site_slot *slots = s->of_slot;
	char **labels = s->labels;
	long most = 0;

	for (size_t i = 0; i < s->count; i++) {
		for (long turn = s->list[i].dealt; has_new(&s->list[i], turn); turn++)
			need++;
		most = s->list[i].slots > most ? s->list[i].slots : most;
	}
	if ((slots = room_for(slots, &s->slot_room, need, sizeof *slots)) == NULL)
		return -1;
	s->of_slot = slots;
	if ((labels = room_for(labels, &s->label_room, need, sizeof *labels)) == NULL)
		return -1;
	s->labels = labels;
	for (long turn = 0; turn < most; turn++)
		for (size_t i = 0; i < s->count; i++)
			if (has_new(&s->list[i], turn)) {
				labels[s->slots] = s->list[i].name;
				slots[s->slots++] = (struct site_slot){i, turn};
				s->list[i].dealt++;
			}
	return 0;
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
	if (deal(s) != 0)
		fail(STATUS_TROUBLE, "no memory:");
	return sites_left(s) == 0 ? -1 : 0;
}

/* To ask a place would take its time: we have jobs. */
int
sites_deal(struct sites *s, long each)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].slots == 0 && !s->list[i].away)
			s->list[i].slots = each > 0 ? each : 1;
	return deal(s);
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
	free(s->files);
	free(s->of_slot);
	free(s->labels);
	free(s->variables);
}

static const struct site *
site_of(const struct sites *s, long slot)
{
	return &s->list[s->of_slot[slot - 1].site];
}

/* The place may have gone, or have fewer slots than it had. */
long long
sites_wait_ms(const struct sites *s, long slot)
{
	const struct site *site;

	if (!sites_there(s))
		return 0;
	site = site_of(s, slot);
	return site->away || s->of_slot[slot - 1].number >= site->slots ? -1
	    : site->dropped ? -1 : clock_wait_ms(site->rests);
}

int
sites_far(const struct sites *s, long slot)
{
	return sites_there(s) && !is_here(site_of(s, slot));
}

/* The pointers come first, then the texts of ours. */
char **
sites_argv(const struct sites *s, long slot, char **argv)
{
	const struct site_slot *at = &s->of_slot[slot - 1];
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
	text += snprintf(text, DEN_PATH + TEXT, "%s/%zu.%ld", s->den.path, at->site,
	    at->number / SHARED) + 1;
	if (s->beat_ms > 0) {
		words[w++] = "--beat";
		words[w++] = text;
		snprintf(text, TEXT, BEAT_FORMAT, (double)s->beat_ms / 1000);
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
rest(struct site *site, const char *why, int quiet)
{
	if (site->dropped || clock_wait_ms(site->rests) > 0)
		return;
	site->rests = clock_now() + (first_rest_ms() << site->failures);
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
	if (end == SITE_NEVER && !site->away) /* so may other slots of it */
		rest(site, why, quiet);
	else if (end == SITE_OWN)
		site->failures = 0;
}

int
sites_left(const struct sites *s)
{
	int listed = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (s->list[i].slots == 0 || s->list[i].away)
			continue;
		if (!s->list[i].dropped)
			return 1;
		listed = 1;
	}
	return !sites_there(s) ? 1 : listed || s->file_count == 0 ? 0 : -1;
}
