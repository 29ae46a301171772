#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/descriptors.h"
#include "../lib/family.h"
#include "../lib/outbox.h"
#include "held.h"
#include "makeflags.h"

#define VARIABLE "JOBCTL_HELD"

/* The length of the first field of the next entry, which is a line and the slots behind it; *text
   moves behind these. 0 at the end. */
static size_t
next_entry(const char **text, const char **entry)
{
	*entry = *text;
	do {
		*text += strcspn(*text, "\n");
		*text += **text != '\0';
	} while (**text == ' ');
	return strcspn(*entry, "\t\n");
}

/* Moves to the next field of a line: its length; 0 and NULL behind the last one. */
static size_t
next_field(const char **field)
{
	if (*field != NULL)
		*field += strcspn(*field, "\t\n");
	*field = *field != NULL && **field == '\t' ? *field + 1 : NULL;
	return *field == NULL ? 0 : strcspn(*field, "\t\n");
}

/* The length of the directory of a path, with its last slash. */
static size_t
directory_of(const char *path, size_t length)
{
	while (length > 0 && path[length - 1] != '/')
		length--;
	return length;
}

static int
same_directory(const char *one, size_t length, const char *other)
{
	char path[HELD_PATH];
	struct stat a, b;

	if (length == 0 || length >= sizeof path)
		return 0;
	snprintf(path, sizeof path, "%.*s", (int)length, one);
	return stat(path, &a) == 0 && stat(other, &b) == 0 && descriptors_same(&a, &b);
}

/* 1 if that directory is the one of the pool at fifo. */
static int
is_pool(const char *directory, size_t length, const char *fifo)
{
	char path[HELD_PATH];

	return snprintf(path, sizeof path, "%s.d", fifo) < (int)sizeof path &&
	    same_directory(directory, length, path);
}

/* 1 for a program that starts jobs with tokens of their own: each of its children is a job. 0 for
   others; -1: not known. */
static int
has_jobs(pid_t pid)
{
	static const char *const names[] = {"make", "gmake", "bmake", "ninja", "samu", "cargo",
	    "jobctl"};
	char name[32];

	if (family_name(pid, name, sizeof name) != 0)
		return -1;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return 1;
	return 0;
}

/* The first process of the job in which this process is. Its parent has the text in the variable,
   so that job is within the lease that the text names, not above. 0: none; -1: not known. */
static pid_t
own_job(const char *variable, const char *text)
{
	pid_t job = getpid(), parent = getppid();
	int has = 0;

	while (parent > 1 && (has = has_jobs(parent)) == 0) {
		job = parent;
		parent = family_parent(parent);
	}
	if (has < 0)
		return -1;
	return has > 0 && family_got(parent, variable, text) ? job : 0;
}

/* 1 if the entry, whose lease has that length, has a token of the pool at fifo. */
static int
has_token_of(const char *entry, size_t length, const char *fifo)
{
	const char *field = entry;

	if (entry[0] != '/')
		return 0;
	if (is_pool(entry, directory_of(entry, length), fifo))
		return 1;
	next_field(&field);
	next_field(&field);
	while ((length = next_field(&field)) > 0)
		if (is_pool(field, length, fifo))
			return 1;
	return 0;
}

/* 0 for a lease whose token is home: it has no name any more. */
static int
take_lease(const char *entry, size_t length, struct held *held)
{
	char file[NAMES_FILE];
	struct stat st;
	const char *dot;

	if (length >= sizeof held->lease)
		return 0;
	snprintf(held->lease, sizeof held->lease, "%.*s", (int)length, entry);
	if ((dot = strrchr(held->lease, '.')) == NULL || names_file(file, dot + 1) != 0 ||
	    lstat(held->lease, &st) != 0 || !S_ISFIFO(st.st_mode))
		return 0;
	strcpy(held->name, dot + 1);
	return 1;
}

/* The slots are behind the line; or, if a shell wrote no more than the path, in its last part. */
static void
take_slots(const char *entry, const char *end, struct held *held)
{
	const char *line = entry + strcspn(entry, "\n");

	held->slots = line += *line == '\n';
	for (held->count = 0; line < end && *line == ' '; held->count++) {
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	if (held->count > 0)
		return;
	held->count = 1;
	held->slots = held->lease + directory_of(held->lease, strlen(held->lease));
}

static void
take_fields(const char *field, struct held *held)
{
	size_t length = next_field(&field);
	char mark[HELD_BASE + 2];
	const char *last;
	pid_t job;

	strcpy(held->base, held->name);
	snprintf(mark, sizeof mark, ".%s", held->name);
	if (length > 0 && length < sizeof held->base &&
	    strspn(field, "0123456789_.") == length) {
		snprintf(held->base, sizeof held->base, "%.*s", (int)length, field);
		snprintf(mark, sizeof mark, "\t%s\t", held->base);
	}
	last = strrchr(held->base, '.');
	held->within = last == NULL ? 0 : strtol(last + 1, NULL, 10);
	held->size = next_field(&field) > 0 ? strtol(field, NULL, 10) : 0;
	held->job[0] = '\0';
	if ((job = own_job(VARIABLE, mark)) > 0)
		snprintf(held->job, sizeof held->job, "%ld", (long)job);
}

int
held_find(const char *fifo, struct held *held)
{
	const char *text = getenv(VARIABLE), *entry;
	size_t length;

	while (text != NULL && (length = next_entry(&text, &entry)) > 0)
		if (has_token_of(entry, length, fifo) && take_lease(entry, length, held)) {
			take_slots(entry, text, held);
			take_fields(entry, held);
			return 1;
		}
	return 0;
}

int
held_abroad(const char *place)
{
	const char *text = getenv(VARIABLE), *entry;
	size_t length;

	while (text != NULL && (length = next_entry(&text, &entry)) > 0)
		if (length == strlen(place) && strncmp(entry, place, length) == 0)
			return 1;
	return 0;
}

int
held_shared(const char *fifo)
{
	const char *flags = getenv("MAKEFLAGS"), *level = getenv("MAKELEVEL"), *word, *path;
	size_t length, suffix = strlen("/" NAMES_SHARED);
	char at[HELD_PATH] = "";
	pid_t job;

	while (flags != NULL && (length = makeflags_word(&flags, &word)) > 0)
		if ((path = makeflags_after(word, "--jobserver-auth=fifo:")) != NULL) {
			length -= (size_t)(path - word);
			snprintf(at, sizeof at, "%.*s", (int)length, path);
		}
	length = strlen(at);
	if (length <= suffix || strcmp(at + length - suffix, "/" NAMES_SHARED) != 0 ||
	    !is_pool(at, length - suffix, fifo))
		return 0;
	job = own_job("MAKEFLAGS", at);
	return job > 0 || (job < 0 && level != NULL && atoi(level) > 0);
}

/* Adds the pools from which the pool in that directory has its tokens, each behind a tab. */
static void
add_within(struct outbox *box, const char *directory)
{
	char path[HELD_PATH], note[HELD_PATH];
	ssize_t n;

	if (snprintf(path, sizeof path, "%s" NAMES_WITHIN, directory) < (int)sizeof path &&
	    (n = readlink(path, note, sizeof note)) > 0)
		outbox_add(box, note, (size_t)n);
}

/* Sets the variable to the entry in the box and its own, but for those of the same pool: those in
   that directory, or, without one, of the same line. */
static int
set(struct outbox *box, const char *directory)
{
	const char *text = getenv(VARIABLE), *entry;
	size_t length, first = outbox_waits(box);
	int result, same;

	while (text != NULL && (length = next_entry(&text, &entry)) > 0) {
		if (*directory != '\0')
			same = same_directory(entry, directory_of(entry, length), directory);
		else
			same = length + 1 == first &&
			    strncmp(entry, outbox_bytes(box), length) == 0;
		if (!same)
			outbox_add(box, entry, (size_t)(text - entry));
		if (!same && text[-1] != '\n')
			outbox_add(box, "\n", 1);
	}
	result = setenv(VARIABLE, outbox_text(box), 1);
	outbox_drop(box);
	return result;
}

int
held_say(const char *lease, const char *base, long size, const char *slots, const char *labels)
{
	struct outbox box = {0};
	char directory[HELD_PATH] = "";
	size_t length, label;

	if (lease[0] != '/' && getcwd(directory, sizeof directory) == NULL)
		return -1;
	length = strlen(directory);
	if (snprintf(directory + length, sizeof directory - length, "%s%s", length > 0 ? "/" : "",
	    lease) >= (int)(sizeof directory - length)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	outbox_say(&box, "%s\t%s\t%ld", directory, base, size);
	directory[directory_of(directory, strlen(directory))] = '\0';
	add_within(&box, directory);
	outbox_say(&box, "\n");
	for (; *slots != '\0'; slots += length + (slots[length] == ' ')) {
		length = strcspn(slots, " ");
		label = strcspn(labels, "\n");
		outbox_say(&box, " %.*s %.*s\n", (int)length, slots, (int)label, labels);
		labels += label + (labels[label] == '\n');
	}
	return set(&box, directory);
}

int
held_say_abroad(const char *place)
{
	struct outbox box = {0};

	outbox_say(&box, "%s\n", place);
	return set(&box, "");
}

/* The first entry was added last: this process has its tokens by that lease. */
int
held_note(int dir)
{
	const char *text = getenv(VARIABLE), *entry;
	size_t length = text == NULL ? 0 : next_entry(&text, &entry);
	struct outbox box = {0};
	char directory[HELD_PATH];
	int result;

	if (length == 0 || length >= sizeof directory || entry[0] != '/')
		return 0;
	snprintf(directory, sizeof directory, "%.*s", (int)directory_of(entry, length), entry);
	outbox_say(&box, "\t%s", directory);
	add_within(&box, directory);
	result = unlinkat(dir, NAMES_WITHIN, 0) != 0 && errno != ENOENT ? -1
	    : symlinkat(outbox_text(&box), dir, NAMES_WITHIN);
	outbox_drop(&box);
	return result;
}
