#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lease.h"

#define VARIABLE "JOBCTL_HELD"

enum { LINE = 4096 }; /* bytes of a command line, at most */

struct entry {
	const char *notes, *lease, *end; /* lines that begin with a blank; the one behind them */
};

/* 1 and the next entry; *text moves behind it. */
static int
next_entry(const char **text, struct entry *entry)
{
	const char *at = *text;

	entry->notes = at;
	while (*at == ' ')
		at += strcspn(at, "\n") + (strchr(at, '\n') != NULL);
	entry->lease = at;
	entry->end = at + strcspn(at, "\n");
	*text = entry->end + (*entry->end != '\0');
	return entry->end > entry->lease;
}

static size_t
length_of(const struct entry *entry)
{
	return (size_t)(entry->end - entry->lease);
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

/* 1 if its command line has a -j of its own, or the -S of jobctl: so it has tokens of its own. Of
   jobctl, the command begins at a second word that is no option. */
static int
has_left(pid_t pid, int command)
{
	char words[LINE];
	ssize_t n = family_words(pid, words, sizeof words);
	int plain = 0;

	for (const char *word = words; n > 0 && word < words + n; word += strlen(word) + 1) {
		plain = *word == '-' ? 0 : plain + 1;
		if (command && plain == 2)
			return 0;
		if (strncmp(word, "--jobs", 6) == 0 || (word[0] == '-' && word[1] != '-' &&
		    (strchr(word, 'j') != NULL || (command && strchr(word, 'S') != NULL))))
			return 1;
	}
	return 0;
}

/* Programs that start jobs with tokens of their own: each of their children is a job. */
enum jobs {
	JOBS_NONE,
	JOBS_TAKEN,  /* by any that has no -j of its own */
	JOBS_UNSURE, /* not by each version */
	JOBS_LEFT,   /* it has one, and takes no part */
	JOBS_UNKNOWN
};

static enum jobs
jobs_of(pid_t pid)
{
	static const char *const names[] = {"jobctl", "make", "gmake", "cargo", "bmake", "ninja",
	    "ninja-build", "samu"};
	enum { SURE = 4 };
	char name[32];
	size_t length;

	if (family_name(pid, name, sizeof name) != 0)
		return JOBS_UNKNOWN;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		length = strlen(names[i]);
		if (strncmp(name, names[i], length) == 0 &&
		    name[length + strspn(name + length, "-.0123456789")] == '\0')
			return has_left(pid, i == 0) ? JOBS_LEFT : i < SURE ? JOBS_TAKEN
			    : JOBS_UNSURE;
	}
	return JOBS_NONE;
}

/* The first process of the job in which this process is. The parent of that has the text in the
   variable, so the job is within the lease that the text names, not above; and takes part with all
   that it runs under. 0: none; -1: not known. */
static pid_t
own_job(const char *text)
{
	pid_t job = 0, child = getpid(), parent = getppid();
	enum jobs jobs, below = JOBS_UNSURE;

	for (; parent > 1; child = parent, parent = family_parent(parent)) {
		if ((jobs = jobs_of(parent)) == JOBS_UNKNOWN)
			return -1;
		if (jobs == JOBS_NONE)
			continue;
		if (!family_got(parent, VARIABLE, text))
			break;
		if (jobs == JOBS_LEFT || below != JOBS_TAKEN)
			job = jobs == JOBS_LEFT ? 0 : child;
		below = jobs;
	}
	return job;
}

/* 1 if the entry has a token of the pool at fifo. */
static int
has_token_of(const struct entry *entry, const char *fifo)
{
	const char *at = entry->notes;
	size_t length;

	if (*entry->lease != '/')
		return 0;
	if (is_pool(entry->lease, directory_of(entry->lease, length_of(entry)), fifo))
		return 1;
	while (at < entry->lease && *(at += strcspn(at, "\t\n")) == '\t') {
		length = strcspn(++at, "\t\n");
		if (is_pool(at, length, fifo))
			return 1;
	}
	return 0;
}

/* 0 for a lease whose token is home: it has no name any more. */
static int
take_lease(const struct entry *entry, struct held *held)
{
	char file[NAMES_FILE];
	struct stat st;
	const char *dot;

	if (length_of(entry) >= sizeof held->lease)
		return 0;
	snprintf(held->lease, sizeof held->lease, "%.*s", (int)length_of(entry), entry->lease);
	if ((dot = strrchr(held->lease, '.')) == NULL || names_file(file, dot + 1) != 0 ||
	    lstat(held->lease, &st) != 0 || !S_ISFIFO(st.st_mode))
		return 0;
	strcpy(held->name, dot + 1);
	return 1;
}

/* Without notes, the lease has the slot that is in its name. */
static void
take_notes(const struct entry *entry, struct held *held)
{
	const char *at = entry->notes + 1, *last;
	size_t length = strspn(at, "0123456789_.");

	strcpy(held->base, held->name);
	held->size = 0;
	held->count = 1;
	held->slots = held->lease + directory_of(held->lease, strlen(held->lease));
	if (entry->notes == entry->lease || length >= sizeof held->base)
		return;
	snprintf(held->base, sizeof held->base, "%.*s", (int)length, at);
	held->size = strtol(at + length, NULL, 10);
	at += strcspn(at, "\n") + 1;
	held->slots = at;
	for (held->count = 0; at < entry->lease; held->count++)
		at += strcspn(at, "\n") + 1;
	last = strrchr(held->base, '.');
	held->within = last == NULL ? 0 : strtol(last + 1, NULL, 10);
}

int
held_find(const char *fifo, struct held *held)
{
	const char *text = getenv(VARIABLE);
	char mark[HELD_BASE + 2];
	struct entry entry;
	pid_t job;

	while (text != NULL && next_entry(&text, &entry))
		if (has_token_of(&entry, fifo) && take_lease(&entry, held)) {
			held->within = 0;
			take_notes(&entry, held);
			snprintf(mark, sizeof mark, entry.notes < entry.lease ? " %s " : "%s",
			    held->base);
			job = own_job(mark);
			held->job[0] = '\0';
			if (job > 0)
				snprintf(held->job, sizeof held->job, "%ld", (long)job);
			return 1;
		}
	return 0;
}

int
held_abroad(const char *place)
{
	const char *text = getenv(VARIABLE);
	struct entry entry;

	while (text != NULL && next_entry(&text, &entry))
		if (length_of(&entry) == strlen(place) &&
		    strncmp(entry.lease, place, strlen(place)) == 0)
			return 1;
	return 0;
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

/* Sets the variable to the entry in the box and its own, but for those with leases in that
   directory, or, without one, of that place. */
static int
set(struct outbox *box, const char *directory, const char *place)
{
	const char *text = getenv(VARIABLE), *name = place != NULL ? place : directory;
	struct entry entry;
	size_t length;
	int result, same;

	if (strchr(name, '\n') != NULL)
		fail(STATUS_TROUBLE, "%s: a path with a newline: the command could not be told of "
		    "its token; choose another one", name);
	while (text != NULL && next_entry(&text, &entry)) {
		length = length_of(&entry);
		if (place == NULL)
			same = same_directory(entry.lease, directory_of(entry.lease, length),
			    directory);
		else
			same = length == strlen(place) && strncmp(entry.lease, place, length) == 0;
		if (!same) {
			outbox_add(box, entry.notes, (size_t)(entry.end - entry.notes));
			outbox_add(box, "\n", 1);
		}
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
	const char *last;

	if (lease[0] != '/' && getcwd(directory, sizeof directory) == NULL)
		return -1;
	length = strlen(directory);
	if (snprintf(directory + length, sizeof directory - length, "%s%s", length > 0 ? "/" : "",
	    lease) >= (int)(sizeof directory - length)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	last = lease + directory_of(lease, strlen(lease));
	directory[directory_of(directory, strlen(directory))] = '\0';
	outbox_say(&box, " %s %ld", base, size);
	add_within(&box, directory);
	outbox_say(&box, "\n");
	for (; *slots != '\0'; slots += length + (slots[length] == ' ')) {
		length = strcspn(slots, " ");
		label = strcspn(labels, "\n");
		outbox_say(&box, " %.*s %.*s\n", (int)length, slots, (int)label, labels);
		labels += label + (labels[label] == '\n');
	}
	outbox_say(&box, "%s%s\n", directory, last);
	return set(&box, directory, NULL);
}

int
held_say_abroad(const char *place)
{
	struct outbox box = {0};

	outbox_say(&box, "%s\n", place);
	return set(&box, NULL, place);
}

/* The first entry was added last: this process has its tokens by that lease. */
int
held_note(int dir)
{
	const char *text = getenv(VARIABLE);
	struct entry entry;
	struct outbox box = {0};
	char directory[HELD_PATH];
	int result;

	if (text == NULL || !next_entry(&text, &entry) || length_of(&entry) >= sizeof directory ||
	    *entry.lease != '/')
		return 0;
	snprintf(directory, sizeof directory, "%.*s",
	    (int)directory_of(entry.lease, length_of(&entry)), entry.lease);
	outbox_say(&box, "\t%s", directory);
	add_within(&box, directory);
	result = unlinkat(dir, NAMES_WITHIN, 0) != 0 && errno != ENOENT ? -1
	    : symlinkat(outbox_text(&box), dir, NAMES_WITHIN);
	outbox_drop(&box);
	return result;
}
