#if defined __linux__ && !defined PORTABLE
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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
	MOST_WRITES = 16,   /* to one reader, before others have their turn */
	MOST_WAITING = 200,
	SPARE = 50,         /* descriptors besides those of jobs */
	PATH_ROOM = 4096
};

struct kept {
	struct kept *next;
	struct output output;
	long id;
	char *tag;          /* before each line, or NULL */
	char *line;         /* of the log, or NULL */
	int part;           /* of the output: 0, 1, or 2 at its end */
	off_t at, size;     /* of that part: what was read of it; -1 before we have looked */
	int inside;         /* the last line has still to end */
	struct outbox box;  /* what was read and not yet written */
};

int
outputs_open(struct outputs *outputs, enum output_mode mode, const char *directory)
{
	*outputs = (struct outputs){
	    .mode = mode, .directory = directory, .to = {STDOUT_FILENO, STDERR_FILENO},
	    .most = MOST_WAITING, .next = 1, .all = mode == OUTPUT_GROUP};
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

/* -1 for a file that is not there. 0, or -1 with errno. */
static int
open_written(int dir, const char *name, const char *what, int *fd, char *path)
{
	struct stat st;

	*fd = -1;
	if (snprintf(path, PATH_ROOM, "%s.%s", name, what) >= PATH_ROOM) {
		errno = ENAMETOOLONG;
		return -1;
	}
	*fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode))
		return 0;
	errno = EINVAL;
	return -1;
}

static int
open_file(const char *directory, long id, const char *what, int flags)
{
	char path[PATH_ROOM];

	if ((size_t)snprintf(path, sizeof path, "%s/%ld.%s", directory, id, what) >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open(path, flags | O_CLOEXEC, 0666);
}

/* What a job has left in its files of -o. */
static int
open_left(const char *directory, struct output *output, long id)
{
	int flags = O_RDONLY | O_NONBLOCK;

	if (((output->out = open_file(directory, id, "out", flags)) >= 0 || errno == ENOENT) &&
	    ((output->err = open_file(directory, id, "err", flags)) >= 0 || errno == ENOENT))
		return 0;
	output_drop(output); /* keeps errno */
	return -1;
}

int
output_adopt(const struct outputs *outputs, struct output *output, long id, int dir,
    const char *name)
{
	char out[PATH_ROOM], err[PATH_ROOM];

	*output = (struct output){-1, -1};
	if (outputs->mode == OUTPUT_PLAIN)
		return 0;
	if (outputs->mode == OUTPUT_FILES)
		return open_left(outputs->directory, output, id);
	if (open_written(dir, name, "out", &output->out, out) != 0 ||
	    open_written(dir, name, "err", &output->err, err) != 0) {
		output_drop(output); /* keeps errno */
		return -1;
	}
	unlinkat(dir, out, 0);
	unlinkat(dir, err, 0);
	return 0;
}

int
output_open(const struct outputs *outputs, struct output *output, long id)
{
	const char *directory = outputs->directory;
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;

	output->out = output->err = -1;
	if (outputs->mode == OUTPUT_PLAIN)
		return 0;
	if (outputs->mode == OUTPUT_FILES) {
		output->out = open_file(directory, id, "out", flags);
		output->err = output->out < 0 ? -1 : open_file(directory, id, "err", flags);
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

/* Puts more of a part into the box: 1, or 0 when nothing is left, or -1 with errno. What somebody
   whom the job left behind still adds is left out: we stop at the size of the first look, or a
   writer faster than we are would keep us for ever. */
static int
fetch(struct kept *kept, int from)
{
	char block[BLOCK];
	struct stat st;
	ssize_t n = 0;

	if (kept->size < 0) {
		if (fstat(from, &st) != 0)
			return -1;
		kept->size = st.st_size;
	}
	if (kept->at < kept->size && (n = pread(from, block, sizeof block, kept->at)) < 0)
		return -1;
	kept->at += n;
	if (n > 0)
		return add(&kept->box, kept->tag, block, (size_t)n, &kept->inside) == 0 ? 1 : -1;
	if (!kept->inside)
		return 0;
	kept->inside = 0;
	return outbox_add(&kept->box, "\n", 1) == 0 ? 1 : -1;
}

/* 1 when the next write does not block, or 0, or -1 with errno. */
static int
writable(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLOUT};
	int n = poll(&one, 1, 0);

	return n < 0 && errno == EINTR ? 0 : n;
}

/* 0 when all of the part is shown, 1 when its reader is to be polled, or -1 with errno. */
static int
show_part(struct kept *kept, int from, int to)
{
	size_t before;
	int state;

	for (int writes = 0;; writes++) {
		if (outbox_waits(&kept->box) == 0 && (state = fetch(kept, from)) <= 0)
			return state;
		if (writes == MOST_WRITES || (state = writable(to)) == 0)
			return 1;
		before = outbox_waits(&kept->box);
		if (state < 0 || outbox_write(&kept->box, to, OUTBOX_PIPE) != 0)
			return -1;
		if (outbox_waits(&kept->box) == before)
			return 1; /* somebody else was faster, and it is non-blocking */
	}
}

/* The same for all of it; *blocked is that reader. */
static int
show(const struct outputs *outputs, struct kept *kept, int *blocked)
{
	int from, state;

	for (; kept->part < 2; kept->part++, kept->at = 0, kept->size = -1) {
		from = kept->part == 0 ? kept->output.out : kept->output.err;
		*blocked = outputs->to[kept->part];
		if (from >= 0 && (state = show_part(kept, from, *blocked)) != 0)
			return state;
	}
	return 0;
}

/* Keeps errno. */
static void
drop_first(struct outputs *outputs)
{
	struct kept *first = outputs->kept;
	int saved = errno;

	output_drop(&first->output);
	outbox_drop(&first->box);
	outputs->next = first->id + 1;
	outputs->kept = first->next;
	outputs->waiting--;
	free(first->tag);
	free(first->line);
	free(first);
	errno = saved;
}

/* A file that is on disk has a name there when its directory is, too. */
static int
sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), bad = fd < 0 || descriptors_sync(fd) != 0;

	descriptors_close(&fd);
	return bad ? -1 : 0;
}

static int
sync_shown(const struct outputs *outputs, const struct output *output)
{
	int files = outputs->mode == OUTPUT_FILES;
	const int fds[] = {files ? output->out : outputs->to[0],
	    files ? output->err : outputs->to[1]};

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0 && descriptors_sync(fds[i]) != 0)
			return -1;
	return files ? sync_directory(outputs->directory) : 0;
}

/* Only then is a job that succeeded not run again: what a kill or a full disk takes before is shown
   by its next run. */
static int
tell(const struct outputs *outputs, const struct output *output, const char *line)
{
	if (line == NULL)
		return 0;
	if (outputs->sync && sync_shown(outputs, output) != 0)
		return -1;
	outputs->shown(outputs->context, line);
	return 0;
}

int
outputs_waits(const struct outputs *outputs)
{
	return outputs->kept != NULL && (outputs->all || outputs->kept->id == outputs->next);
}

int
outputs_pump(struct outputs *outputs, int *blocked)
{
	int state = 0;

	while (state == 0 && outputs_waits(outputs)) {
		if ((state = show(outputs, outputs->kept, blocked)) == 0)
			state = tell(outputs, &outputs->kept->output, outputs->kept->line);
		if (state <= 0)
			drop_first(outputs);
	}
	return state;
}

/* Whether to give up: who ended us does not wait for a reader who has stopped. */
static int
told_to_end(void)
{
	return orders_end != 0 || orders_interrupts > 1;
}

/* Signals are open only while we wait for room. 0, or -1 with errno. */
static int
wait_for(const struct outputs *outputs, int to)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(to, &set);
	if (pselect(to + 1, NULL, &set, NULL, NULL, outputs->mask) >= 0)
		return 0;
	return errno == EINTR && !told_to_end() ? 0 : -1;
}

int
outputs_flush(struct outputs *outputs)
{
	int state, blocked;

	while ((state = outputs_pump(outputs, &blocked)) > 0)
		if (wait_for(outputs, blocked) != 0) {
			state = -1;
			break;
		}
	while (outputs_waits(outputs))
		drop_first(outputs);
	return state;
}

void
outputs_finish(struct outputs *outputs)
{
	outputs->all = 1;
}

int
outputs_close(struct outputs *outputs)
{
	outputs_finish(outputs);
	return outputs_flush(outputs);
}

/* A job that did not look at what its write returned leaves half of its output, or none, and we
   are the ones who know. Some file systems have no blocks to count. 1 after a message. */
static int
disk_is_full(const struct output *output, long id)
{
	struct statvfs fs;

	if (output->out < 0 || fstatvfs(output->out, &fs) != 0 || fs.f_blocks == 0 ||
	    (geteuid() == 0 ? fs.f_bfree : fs.f_bavail) > 0)
		return 0;
	complain("job %ld: the disk is full, some of its output may be lost", id);
	return 1;
}

static int
keep(struct outputs *outputs, struct output *output, long id, const char *tag, char *line)
{
	struct kept **place = &outputs->kept, *kept = calloc(1, sizeof *kept);

	if (kept == NULL || (tag != NULL && (kept->tag = strdup(tag)) == NULL)) {
		free(kept);
		free(line);
		output_drop(output);
		errno = ENOMEM;
		return -1;
	}
	kept->id = id;
	kept->line = line;
	kept->output = *output;
	kept->size = -1;
	*output = (struct output){-1, -1};
	while (*place != NULL && (outputs->mode == OUTPUT_GROUP || (*place)->id < id))
		place = &(*place)->next;
	kept->next = *place;
	*place = kept;
	outputs->waiting++;
	return 0;
}

int
output_show(struct outputs *outputs, struct output *output, long id, const char *tag, char *line)
{
	int bad, saved;

	if (disk_is_full(output, id)) {
		outputs->lost = 1;
		free(line);
		line = NULL;
	}
	if (outputs->mode != OUTPUT_PLAIN && outputs->mode != OUTPUT_FILES)
		return keep(outputs, output, id, tag, line);
	bad = tell(outputs, output, line);
	saved = errno;
	output_drop(output);
	free(line);
	errno = saved;
	return bad;
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
	return keep(outputs, &none, id, NULL, NULL);
}
