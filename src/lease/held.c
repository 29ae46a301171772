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

enum { LONGEST = 4096 }; /* bytes of a path, and of a note */

#define VARIABLE "JOBCTL_HELD"

/* The length of the path in the next line; *text moves behind the line. 0 at the end. */
static size_t
next_line(const char **text, const char **line)
{
	size_t length = strcspn(*text, "\n");

	*line = *text;
	*text += length + ((*text)[length] != '\0');
	return strcspn(*line, "\t\n");
}

/* 1 if that lease is in the directory of the dispenser, "P.d". */
static int
is_in(const char *lease, size_t length, const char *fifo)
{
	char dir[LONGEST], asked[LONGEST];
	struct stat a, b;

	while (length > 0 && lease[length - 1] != '/')
		length--;
	if (length == 0 || length >= sizeof dir || strlen(fifo) + 3 > sizeof asked)
		return 0;
	snprintf(dir, sizeof dir, "%.*s", (int)length, lease);
	snprintf(asked, sizeof asked, "%s.d", fifo);
	return stat(dir, &a) == 0 && stat(asked, &b) == 0 && descriptors_same(&a, &b);
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

/* A lease has no name any more once its token is home. */
static int
is_out(const char *lease)
{
	struct stat st;

	return lstat(lease, &st) == 0 && S_ISFIFO(st.st_mode);
}

static int
take_name(const char *line, size_t length, struct held *held)
{
	size_t tab = line[length] == '\t' ? strcspn(line + length + 1, "\n") : 0;
	char lease[LONGEST], file[NAMES_FILE];
	const char *dot;
	pid_t job;

	if (length >= sizeof lease)
		return 0;
	snprintf(lease, sizeof lease, "%.*s", (int)length, line);
	if ((dot = strrchr(lease, '.')) == NULL || names_file(file, dot + 1) != 0 || !is_out(lease))
		return 0;
	strcpy(held->name, dot + 1);
	snprintf(held->job, sizeof held->job, "%.*s", (int)tab, line + length + 1);
	if (held->job[strspn(held->job, "0123456789_.")] != '\0')
		held->job[0] = '\0'; /* we did not write that */
	job = own_job(VARIABLE, held->name);
	length = strlen(held->job);
	if (job > 0)
		snprintf(held->job + length, sizeof held->job - length, ".%ld", (long)job);
	return 1;
}

int
held_find(const char *fifo, struct held *held)
{
	const char *text = getenv(VARIABLE), *line;
	size_t length;

	while (text != NULL && (length = next_line(&text, &line)) > 0)
		if (line[0] == '/' && is_in(line, length, fifo))
			return take_name(line, length, held);
	return 0;
}

int
held_abroad(const char *place)
{
	const char *text = getenv(VARIABLE), *line;
	size_t length;

	while (text != NULL && (length = next_line(&text, &line)) > 0)
		if (length == strlen(place) && strncmp(line, place, length) == 0)
			return 1;
	return 0;
}

int
held_shared(const char *fifo)
{
	const char *flags = getenv("MAKEFLAGS"), *level = getenv("MAKELEVEL"), *word, *path;
	size_t length, suffix = strlen("/" NAMES_SHARED);
	char at[LONGEST] = "";
	pid_t job;

	while (flags != NULL && (length = makeflags_word(&flags, &word)) > 0)
		if ((path = makeflags_after(word, "--jobserver-auth=fifo:")) != NULL) {
			length -= (size_t)(path - word);
			snprintf(at, sizeof at, "%.*s", (int)length, path);
		}
	length = strlen(at);
	if (length <= suffix || strcmp(at + length - suffix, "/" NAMES_SHARED) != 0 ||
	    !is_in(at, length, fifo))
		return 0;
	job = own_job("MAKEFLAGS", at);
	return job > 0 || (job < 0 && level != NULL && atoi(level) > 0);
}

/* Adds the leases that a dispenser itself runs under, by the note in its directory. */
static void
add_within(struct outbox *box, const char *dir, const char *behind)
{
	char path[LONGEST], note[LONGEST];
	const char *text = note, *line;
	size_t length;
	ssize_t n;

	if (snprintf(path, sizeof path, "%s/" NAMES_WITHIN, dir) >= (int)sizeof path ||
	    (n = readlink(path, note, sizeof note - 1)) < 0)
		return;
	note[n] = '\0';
	while ((length = next_line(&text, &line)) > 0)
		outbox_say(box, "%.*s%s%s\n", (int)length, line, *behind != '\0' ? "\t" : "",
		    behind);
}

/* Sets the variable to the lines in the box and its own lines, but for those of that pool. */
static int
set(struct outbox *box, const char *fifo, const char *place)
{
	const char *text = getenv(VARIABLE), *line;
	size_t length;
	int result;

	while (text != NULL && (length = next_line(&text, &line)) > 0)
		if (fifo != NULL ? !is_in(line, length, fifo)
		    : length != strlen(place) || strncmp(line, place, length) != 0)
			outbox_say(box, "%.*s\n", (int)strcspn(line, "\n"), line);
	result = setenv(VARIABLE, outbox_text(box), 1);
	outbox_drop(box);
	return result;
}

int
held_say(const char *fifo, const char *lease)
{
	struct outbox box = {0};
	char here[LONGEST] = "", dir[LONGEST];

	if (lease[0] != '/' && getcwd(here, sizeof here) == NULL)
		return -1;
	outbox_say(&box, "%s%s%s\n", here, here[0] != '\0' ? "/" : "", lease);
	if (snprintf(dir, sizeof dir, "%s.d", fifo) < (int)sizeof dir)
		add_within(&box, dir, strrchr(lease, '.') + 1);
	return set(&box, fifo, NULL);
}

int
held_say_abroad(const char *place)
{
	struct outbox box = {0};

	outbox_say(&box, "%s\n", place);
	return set(&box, NULL, place);
}

/* The first line was added last: this process has its tokens by that lease. */
int
held_note(int dir)
{
	const char *text = getenv(VARIABLE), *line;
	size_t length = text == NULL ? 0 : next_line(&text, &line);
	struct outbox box = {0};
	char of[LONGEST];
	int result = 0;

	if (length == 0 || length >= sizeof of || line[0] != '/')
		return 0;
	snprintf(of, sizeof of, "%.*s", (int)length, line);
	outbox_say(&box, "%s\n", of);
	*strrchr(of, '/') = '\0';
	add_within(&box, of, "");
	if ((unlinkat(dir, NAMES_WITHIN, 0) != 0 && errno != ENOENT) ||
	    symlinkat(outbox_text(&box), dir, NAMES_WITHIN) != 0)
		result = -1;
	outbox_drop(&box);
	return result;
}
