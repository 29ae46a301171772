#include <sys/select.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "book.h"

enum {
	COLOURS = 6,
	MOST_WAITING = 200,
	SPARE = 50          /* descriptors besides those of jobs */
};

/* One process has one standard error: messages make what is drawn there give way, and do not tear
   lines of jobs. */
static int beside;

static int
make_way(const char *line)
{
	progress_make_way();
	return beside && line != NULL && lines_say(line) == 0;
}

/* All that a job wrote is written; or some of it is lost, and line is NULL. Only now is a job that
   succeeded not run again: what a kill or a full disk takes before is shown by its next run. */
static int
output_shown(void *context, const char *line)
{
	struct outputs *outputs = context;

	outputs->waiting--;
	if (line == NULL)
		return 0;
	if (outputs->log->sync && outputs->mode != OUTPUT_FILES &&
	    (descriptors_sync(outputs->to[0]) != 0 || descriptors_sync(outputs->to[1]) != 0))
		return -1;
	joblog_write(outputs->log, line);
	return 0;
}

int
outputs_open(struct outputs *outputs, const struct terms *terms, struct joblog *log, int out,
    long first)
{
	const char *temporary = getenv("TMPDIR"), *results = terms->dry ? NULL : terms->directory;
	long there = 0;

	*outputs = (struct outputs){
	    .mode = terms->mode, .directory = results, .files = results != NULL,
	    .to = {out, STDERR_FILENO}, .most = MOST_WAITING, .next = first, .log = log};
	for (int part = 0; part < 2; part++) {
		outputs->terminal[part] = isatty(outputs->to[part]);
		outputs->coloured[part] = terms->colour || screen_coloured(outputs->to[part]);
	}
	if (results == NULL)
		outputs->directory = temporary == NULL || *temporary == '\0' ? "/tmp" : temporary;
	complain_first = make_way;
	log->sync = terms->sync;
	if (results != NULL && (file_directory(results) != 0 ||
	    (terms->resume && (there = file_highest(results)) < 0))) {
		complain("--results %s:", results);
		return -1;
	}
	if (terms->log_path != NULL &&
	    joblog_open(log, terms->log_path, terms->resume, terms->dry) != 0)
		return -1;
	/* with --results numbers go on after those that an earlier run has used */
	if (terms->resume && results != NULL) {
		there = there < log->highest ? log->highest : there;
		if (outputs->next <= there)
			outputs->next = there + 1;
	}
	if (terms->mode == OUTPUT_PLAIN || terms->mode == OUTPUT_FILES)
		return 0;
	if (lines_open(outputs->to, outputs->next, output_shown, outputs) != 0) {
		complain("output:");
		return -1;
	}
	beside = 1;
	return 0;
}

/* The text and a tab, in the colour of that job. A terminal would obey control characters. */
static void
make_tags(const struct outputs *outputs, char *tags[2], const char *text, long id)
{
	/* green, yellow, blue, magenta, cyan, red: with eight of them on any terminal */
	static const char colours[COLOURS] = {2, 3, 4, 5, 6, 1};

	tags[0] = tags[1] = NULL;
	for (int part = 0; text != NULL && part < 2; part++) {
		struct outbox tag = {0};

		if (outputs->coloured[part])
			outbox_say(&tag, "\033[3%dm", colours[id % COLOURS]);
		if (outputs->terminal[part])
			outbox_printable(&tag, text, strlen(text), (size_t)-1);
		else
			outbox_add(&tag, text, strlen(text));
		outbox_say(&tag, "%s\t", outputs->coloured[part] ? "\033[m" : "");
		outbox_add(&tag, "", 1);
		tags[part] = need_memory(outbox_whole(&tag));
	}
}

void
outputs_bound(struct outputs *outputs, long jobs)
{
	long left;

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

static const char *const kinds[] = {"out", "err"};

int
output_adopt(const struct outputs *outputs, struct output *output, long id, int dir,
    const char *name)
{
	*output = (struct output)OUTPUT_NONE;
	if (outputs->mode == OUTPUT_PLAIN)
		return 0;
	for (int part = 0; part < 2; part++) {
		output->fd[part] = outputs->files ? file_result(outputs->directory, id,
		    kinds[part], O_RDONLY | O_NONBLOCK) : file_written(dir, name, kinds[part]);
		if (output->fd[part] < 0 && errno != ENOENT) {
			output_drop(output); /* keeps errno */
			return -1;
		}
	}
	if (!outputs->files)
		file_forget(dir, name);
	return 0;
}

int
output_open(const struct outputs *outputs, struct output *output, long id, const char *tag)
{
	int flags = O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
	char *tags[2];

	*output = (struct output)OUTPUT_NONE;
	if (outputs->mode == OUTPUT_PLAIN)
		return 0;
	if (outputs->mode == OUTPUT_LINES) {
		make_tags(outputs, tags, tag, id);
		output->live = lines_begin(output->fd, tags);
	} else
		for (int part = 0; part < 2 && (part == 0 || output->fd[0] >= 0); part++)
			output->fd[part] = outputs->files ? file_result(outputs->directory, id,
			    kinds[part], flags) : file_unnamed(outputs->directory);
	if (output->live != NULL || (outputs->mode != OUTPUT_LINES && output->fd[1] >= 0))
		return 0;
	output_drop(output); /* keeps errno */
	return -1;
}

static void
close_ends(struct output *output)
{
	if (output->fd[1] == output->fd[0])
		output->fd[1] = -1;
	descriptors_close(&output->fd[0]);
	descriptors_close(&output->fd[1]);
}

void
output_started(struct output *output)
{
	if (output->live != NULL)
		close_ends(output);
}

void
output_drop(struct output *output)
{
	close_ends(output);
	if (output->live != NULL)
		lines_cancel(output->live);
	output->live = NULL;
}

long long
output_ended(const struct outputs *outputs, const struct output *output)
{
	struct stat st;

	if (output->live != NULL)
		return lines_drain(output->live);
	if (outputs->mode == OUTPUT_PLAIN || fstat(output->fd[0], &st) != 0)
		return 0;
	return (long long)st.st_size;
}

/* Signals are open only while we wait for room. If one has ended us, a reader who takes nothing for
   half a second has stopped. 0, or -1 with errno. */
static int
wait_for(const sigset_t *mask, int most, fd_set *out)
{
	static const struct timespec half = {0, 500000000};
	int ended = orders_end != 0 || orders_interrupts > 1,
	    n = pselect(most + 1, NULL, out, NULL, ended ? &half : NULL, mask);

	if (n > 0)
		return 0;
	if (n == 0)
		errno = EINTR;
	ended = orders_end != 0 || orders_interrupts > 1;
	return errno == EINTR && !ended ? 0 : -1;
}

int
outputs_close(const sigset_t *mask)
{
	fd_set set;
	int why = 0, most;

	lines_all();
	do {
		if (lines_pump() != 0 && why == 0)
			why = errno;
		FD_ZERO(&set);
		most = lines_fds(NULL, &set);
	} while (most >= 0 && wait_for(mask, most, &set) == 0);
	beside = 0;
	errno = most >= 0 ? errno : why;
	return errno != 0 ? -1 : 0;
}

/* A job's own files; without that, or on a full disk, it is not taken for one that succeeded. */
static int
sync_files(const struct outputs *outputs, const struct output *output)
{
	if (!outputs->log->sync || !outputs->files)
		return 0;
	for (int part = 0; part < 2; part++)
		if (output->fd[part] >= 0 && descriptors_sync(output->fd[part]) != 0)
			return -1;
	return file_sync_directory(outputs->directory);
}

/* A job that did not look at what its write returned leaves half of its output, or none, and we
   are the ones who know. */
int
output_show(struct outputs *outputs, struct output *output, long id, const char *tag, char *line)
{
	int full = output->fd[0] >= 0 && file_disk_full(output->fd[0]), error = 0;
	char *tags[2];

	if (full)
		complain("job %ld: the disk is full, some of its output may be lost", id);
	outputs->lost |= full;
	if (line != NULL && !full && sync_files(outputs, output) != 0)
		error = errno;
	if (full || error != 0) {
		free(line);
		line = NULL;
	}
	outputs->waiting++;
	if (output->live != NULL) {
		lines_end(output->live, line);
	} else if (outputs->mode == OUTPUT_GROUP || outputs->mode == OUTPUT_ORDER) {
		make_tags(outputs, tags, tag, id);
		lines_keep(outputs->mode == OUTPUT_ORDER ? id : 0, output->fd, tags, line);
	} else {
		if (output_shown(outputs, line) != 0)
			error = errno;
		output_drop(output);
		free(line);
	}
	*output = (struct output)OUTPUT_NONE;
	errno = error;
	return error == 0 ? 0 : -1;
}

void
output_skip(struct outputs *outputs, long id)
{
	if (outputs->mode == OUTPUT_ORDER)
		output_show(outputs, &(struct output)OUTPUT_NONE, id, NULL, NULL);
}
