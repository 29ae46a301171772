#if defined __linux__ && !defined PORTABLE
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/orders.h"
#include "../lib/outbox.h"
#include "output.h"

enum {
	BLOCK = 65536,
	MOST_WAITING = 200,
	SPARE = 50,         /* descriptors besides those of jobs */
	PATH_ROOM = 4096
};

struct kept {
	struct kept *next;
	struct output output;
	long id;
	char *tag;
};

int
outputs_open(struct outputs *outputs, enum output_mode mode, const char *directory)
{
	*outputs = (struct outputs){
	    .mode = mode, .directory = directory, .most = MOST_WAITING, .next = 1};
	if (mode == OUTPUT_FILES && mkdir(directory, 0777) != 0 && errno != EEXIST) {
		complain("%s:", directory);
		return -1;
	}
	if (mode != OUTPUT_FILES && (directory == NULL || *directory == '\0'))
		outputs->directory = "/tmp";
	return 0;
}

void
outputs_bound(struct outputs *outputs, long jobs, const sigset_t *mask)
{
	long left;

	outputs->mask = mask;
	if (outputs->mode == OUTPUT_PLAIN)
		return;
	left = (descriptors_allow(jobs * 2 + MOST_WAITING * 2 + SPARE) - jobs * 2 - SPARE) / 2;
	outputs->most = left < 1 ? 1 : left < MOST_WAITING ? left : MOST_WAITING;
}

int
outputs_room(const struct outputs *outputs)
{
	return outputs->waiting < outputs->most;
}

static int
open_kept(const char *directory)
{
	char path[PATH_ROOM];
	int fd;

#ifdef O_TMPFILE /* never has a name: nothing is left by a kill between the two calls below */
	if ((fd = open(directory, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600)) >= 0)
		return fd;
#endif
	if ((size_t)snprintf(path, sizeof path, "%s/jobctl.XXXXXX", directory) >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if ((fd = mkstemp(path)) < 0)
		return -1;
	unlink(path);
	fcntl(fd, F_SETFL, O_APPEND); /* a job may open it anew, by /dev/stderr */
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

static int
open_file(const char *directory, long id, const char *what)
{
	char path[PATH_ROOM];

	if ((size_t)snprintf(path, sizeof path, "%s/%ld.%s", directory, id, what) >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
}

int
output_open(const struct outputs *outputs, struct output *output, long id)
{
	const char *directory = outputs->directory;

	output->out = output->err = -1;
	if (outputs->mode == OUTPUT_PLAIN)
		return 0;
	if (outputs->mode == OUTPUT_FILES) {
		output->out = open_file(directory, id, "out");
		output->err = output->out < 0 ? -1 : open_file(directory, id, "err");
	} else {
		output->out = open_kept(directory);
		output->err = output->out < 0 ? -1 : open_kept(directory);
	}
	if (output->err >= 0)
		return 0;
	output_drop(output); /* keeps errno */
	return -1;
}

void
output_drop(struct output *output)
{
	descriptors_close(&output->out);
	descriptors_close(&output->err);
}

long long
output_bytes(const struct outputs *outputs, const struct output *output)
{
	struct stat st;

	if (outputs->mode == OUTPUT_PLAIN || fstat(output->out, &st) != 0)
		return 0;
	return (long long)st.st_size;
}

/* Whether to give up: who ended us does not wait for a reader who has stopped. */
static int
told_to_end(void)
{
	return orders_end != 0 || orders_interrupts > 1;
}

/* Signals are open only while we wait for room. */
static int
write_all(const struct outputs *outputs, int to, struct outbox *box)
{
	fd_set set;

	while (outbox_waits(box) > 0) {
		FD_ZERO(&set);
		FD_SET(to, &set);
		if (pselect(to + 1, NULL, &set, NULL, NULL, outputs->mask) < 0) {
			if (errno != EINTR || told_to_end())
				return -1;
		} else if (outbox_write(box, to, OUTBOX_PIPE) != 0) {
			return -1;
		}
	}
	return 0;
}

/* With the tag, or NULL, before each line; inside: the last line has still to end. */
static int
add(struct outbox *box, const char *tag, const char *text, size_t length, int *inside)
{
	const char *stop;
	int bad = 0;
	size_t n;

	if (tag == NULL)
		return outbox_add(box, text, length);
	for (; !bad && length > 0; text += n, length -= n) {
		if (!*inside)
			bad = outbox_add(box, tag, strlen(tag)) != 0 ||
			    outbox_add(box, "\t", 1) != 0;
		stop = memchr(text, '\n', length);
		*inside = stop == NULL;
		n = stop == NULL ? length : (size_t)(stop - text) + 1;
		bad = bad || outbox_add(box, text, n) != 0;
	}
	return bad ? -1 : 0;
}

/* What somebody whom the job left behind still adds is left out: we stop at the
   size of now, or a writer faster than we are would keep us for ever. */
static int
copy(const struct outputs *outputs, int from, int to, const char *tag)
{
	struct outbox box = {0};
	char block[BLOCK];
	struct stat st;
	ssize_t n = 0;
	int inside = 0, bad = 0;

	if (fstat(from, &st) != 0)
		return -1;
	for (off_t at = 0; !bad && at < st.st_size &&
	    (n = pread(from, block, sizeof block, at)) > 0; at += n)
		bad = add(&box, tag, block, (size_t)n, &inside) != 0 ||
		    write_all(outputs, to, &box) != 0;
	if (!bad && inside)
		bad = outbox_add(&box, "\n", 1) != 0 || write_all(outputs, to, &box) != 0;
	outbox_drop(&box);
	return bad || n < 0 ? -1 : 0;
}

/* A job that did not look at what its write returned leaves half of its output,
   and we are the ones who know. */
static void
check_disk(int fd, long id)
{
	struct statvfs fs;
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_size > 0 && fstatvfs(fd, &fs) == 0 && fs.f_bavail == 0)
		complain("job %ld: the disk is full, some of its output may be lost", id);
}

static int
show(const struct outputs *outputs, struct output *output, long id, const char *tag)
{
	int bad;

	check_disk(output->out, id);
	check_disk(output->err, id);
	bad = copy(outputs, output->out, STDOUT_FILENO, tag) != 0 ||
	    copy(outputs, output->err, STDERR_FILENO, tag) != 0;
	output_drop(output);
	return bad ? -1 : 0;
}

/* Shows those whose turn has come; all of them, in the end. */
static int
show_kept(struct outputs *outputs, int all)
{
	struct kept *first;
	int bad = 0;

	while ((first = outputs->kept) != NULL && (all || first->id == outputs->next)) {
		if (first->output.out >= 0 && !bad)
			bad = show(outputs, &first->output, first->id, first->tag) != 0;
		output_drop(&first->output);
		outputs->next = first->id + 1;
		outputs->kept = first->next;
		outputs->waiting--;
		free(first->tag);
		free(first);
	}
	return bad ? -1 : 0;
}

static int
keep(struct outputs *outputs, struct output *output, long id, const char *tag)
{
	struct kept **place = &outputs->kept, *kept = calloc(1, sizeof *kept);

	if (kept == NULL || (tag != NULL && (kept->tag = strdup(tag)) == NULL)) {
		free(kept);
		output_drop(output);
		errno = ENOMEM;
		return -1;
	}
	kept->id = id;
	kept->output = *output;
	while (*place != NULL && (*place)->id < id)
		place = &(*place)->next;
	kept->next = *place;
	*place = kept;
	outputs->waiting++;
	return show_kept(outputs, 0);
}

int
output_show(struct outputs *outputs, struct output *output, long id, const char *tag)
{
	switch (outputs->mode) {
	case OUTPUT_PLAIN: return 0;
	case OUTPUT_GROUP: return show(outputs, output, id, tag);
	case OUTPUT_ORDER: return keep(outputs, output, id, tag);
	default:
		check_disk(output->out, id);
		output_drop(output);
		return 0;
	}
}

int
output_skip(struct outputs *outputs, long id)
{
	struct output none = {-1, -1};

	if (outputs->mode != OUTPUT_ORDER)
		return 0;
	if (outputs->kept == NULL && outputs->next == id) {
		outputs->next++;
		return 0;
	}
	return keep(outputs, &none, id, NULL);
}

int
outputs_close(struct outputs *outputs)
{
	return show_kept(outputs, 1);
}
