#if defined __linux__ && !defined PORTABLE
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "output.h"

enum { BLOCK = 65536, MOST_WAITING = 200, PATH_ROOM = 4096 };

struct kept {
	struct kept *next;
	struct output output;
	long id;
	char *tag;
};

int
outputs_open(struct outputs *outputs, enum output_mode mode, const char *directory)
{
	struct outputs empty = {OUTPUT_PLAIN, NULL, NULL, 0, 1};

	*outputs = empty;
	outputs->mode = mode;
	outputs->directory = directory;
	if (mode == OUTPUT_FILES && mkdir(directory, 0777) != 0 && errno != EEXIST) {
		complain("%s:", directory);
		return -1;
	}
	if (mode != OUTPUT_FILES && (directory == NULL || *directory == '\0'))
		outputs->directory = "/tmp";
	return 0;
}

int
outputs_room(const struct outputs *outputs)
{
	return outputs->waiting < MOST_WAITING;
}

static int
close_on_exec(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

static int
open_kept(const char *directory)
{
	char path[PATH_ROOM];
	int fd;

#ifdef O_TMPFILE /* never has a name: nothing is left by a kill between the two calls below */
	if ((fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) >= 0)
		return fd;
#endif
	if ((size_t)snprintf(path, sizeof path, "%s/jobctl.XXXXXX", directory) >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if ((fd = mkstemp(path)) >= 0)
		unlink(path);
	return close_on_exec(fd);
}

static int
open_file(const char *directory, long id, const char *what)
{
	char path[PATH_ROOM];

	if ((size_t)snprintf(path, sizeof path, "%s/%ld.%s", directory, id, what) >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

int
output_open(const struct outputs *outputs, struct output *output, long id)
{
	const char *directory = outputs->directory;
	int saved;

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
	saved = errno;
	output_drop(output);
	errno = saved;
	return -1;
}

void
output_drop(struct output *output)
{
	if (output->out >= 0)
		close(output->out);
	if (output->err >= 0)
		close(output->err);
	output->out = output->err = -1;
}

long long
output_bytes(const struct outputs *outputs, const struct output *output)
{
	struct stat st;

	if (outputs->mode == OUTPUT_PLAIN || fstat(output->out, &st) != 0)
		return 0;
	return (long long)st.st_size;
}

static int
write_all(int to, const char *text, size_t length)
{
	ssize_t n;

	while (length > 0) {
		if ((n = write(to, text, length)) < 0)
			return -1;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

/* Puts the tag before each line, and an end to the last one. */
static int
write_tagged(FILE *to, const char *tag, const char *text, size_t length, int *inside)
{
	const char *stop;
	size_t n;

	while (length > 0) {
		if (!*inside)
			fprintf(to, "%s\t", tag);
		stop = memchr(text, '\n', length);
		*inside = stop == NULL;
		n = stop == NULL ? length : (size_t)(stop - text) + 1;
		fwrite(text, 1, n, to);
		text += n;
		length -= n;
	}
	return ferror(to) ? -1 : 0;
}

/* What somebody whom the job left behind still adds is left out: we stop at the
   size of now, or a writer faster than we are would keep us for ever. */
static int
copy(int from, int to, const char *tag)
{
	FILE *stream = to == STDOUT_FILENO ? stdout : stderr;
	char block[BLOCK];
	struct stat st;
	off_t at = 0;
	ssize_t n = 0;
	int inside = 0, bad = 0;

	if (fstat(from, &st) != 0)
		return -1;
	while (!bad && at < st.st_size && (n = pread(from, block, sizeof block, at)) > 0) {
		bad = (tag == NULL ? write_all(to, block, (size_t)n)
		                   : write_tagged(stream, tag, block, (size_t)n, &inside)) != 0;
		at += n;
	}
	if (!bad && inside)
		putc('\n', stream);
	if (!bad && tag != NULL)
		bad = fflush(stream) != 0;
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
show(struct output *output, long id, const char *tag)
{
	int bad;

	check_disk(output->out, id);
	bad = copy(output->out, STDOUT_FILENO, tag) != 0 || copy(output->err, STDERR_FILENO, tag) != 0;
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
			bad = show(&first->output, first->id, first->tag) != 0;
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
	case OUTPUT_GROUP: return show(output, id, tag);
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
