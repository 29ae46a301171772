#include <sys/select.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../display/screen.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/orders.h"
#include "../lib/outbox.h"
#include "file.h"
#include "halt.h"
#include "joblog.h"
#include "lines.h"
#include "output.h"
#include "progress.h"
#include "retry.h"
#include "terms.h"

enum {
	BLOCK = 65536,
	COLOURS = 6,
	MOST_WRITES = 16,   /* to one reader, before others have their turn */
	MOST_WAITING = 200,
	SPARE = 50          /* descriptors besides those of jobs */
};

struct kept {
	struct kept *next;
	struct output output;
	long id;
	char *tags[2];      /* before each line of a part, or NULL */
	char *line;         /* of the log, or NULL */
	int part;           /* of the output: 0, 1, or 2 at its end */
	off_t at, size;     /* of that part: what was read of it; -1 before we have looked */
	int inside;         /* the last line has still to end */
	struct outbox box;  /* what was read and not yet written */
};

static int live_shown(void *context, const char *line);

/* One process has one standard error: messages make what is drawn there give way, and do not tear
   lines of jobs. */
static struct lines *beside;

static int
make_way(const char *line)
{
	progress_make_way();
	return beside != NULL && line != NULL && lines_say(beside, line) == 0;
}

int
outputs_open(struct outputs *outputs, const struct terms *terms, struct joblog *log, int out,
    long first)
{
	const char *temporary = getenv("TMPDIR"), *results = terms->dry ? NULL : terms->directory;
	long there = 0;

	*outputs = (struct outputs){
	    .mode = terms->mode, .directory = results, .files = results != NULL,
	    .to = {out, STDERR_FILENO}, .most = MOST_WAITING, .next = first,
	    .all = terms->mode == OUTPUT_GROUP, .log = log, .sync = terms->sync};
	for (int part = 0; part < 2; part++) {
		outputs->terminal[part] = isatty(outputs->to[part]);
		outputs->coloured[part] = terms->colour || screen_coloured(outputs->to[part]);
	}
	if (results == NULL)
		outputs->directory = temporary == NULL || *temporary == '\0' ? "/tmp" : temporary;
	complain_first = make_way;
	if (outputs->mode == OUTPUT_LINES &&
	    (beside = outputs->lines = lines_open(outputs->to, live_shown, outputs)) == NULL) {
		complain("--line-buffer:");
		return -1;
	}
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
	return 0;
}

int
outputs_inside(const struct outputs *outputs)
{
	const struct kept *first = outputs->kept;

	if (outputs->lines != NULL)
		return lines_inside(outputs->lines);
	return first != NULL && (first->part > 0 || first->size >= 0);
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

int
output_adopt(const struct outputs *outputs, struct output *output, long id, int dir,
    const char *name)
{
	char out[FILE_PATH], err[FILE_PATH];
	int flags = O_RDONLY | O_NONBLOCK;

	*output = (struct output){-1, -1, NULL};
	if (outputs->mode == OUTPUT_PLAIN)
		return 0;
	if (outputs->files) {
		output->out = file_result(outputs->directory, id, "out", flags);
		if (output->out >= 0 || errno == ENOENT)
			output->err = file_result(outputs->directory, id, "err", flags);
		if (output->err >= 0 || errno == ENOENT)
			return 0;
	} else if (file_written(dir, name, "out", &output->out, out) == 0 &&
	    file_written(dir, name, "err", &output->err, err) == 0) {
		unlinkat(dir, out, 0);
		unlinkat(dir, err, 0);
		return 0;
	}
	output_drop(output); /* keeps errno */
	return -1;
}

int
output_open(const struct outputs *outputs, struct output *output, long id, const char *tag)
{
	const char *directory = outputs->directory;
	int flags = O_RDWR | O_CREAT | O_TRUNC | O_APPEND, ends[2];
	char *tags[2];

	*output = (struct output){-1, -1, NULL};
	if (outputs->mode == OUTPUT_PLAIN)
		return 0;
	if (outputs->mode == OUTPUT_LINES) {
		make_tags(outputs, tags, tag, id);
		output->live = lines_begin(outputs->lines, ends, tags);
		output->out = ends[0];
		output->err = ends[1];
	} else {
		output->out = outputs->files ? file_result(directory, id, "out", flags)
		    : file_unnamed(directory);
		if (output->out >= 0)
			output->err = outputs->files ? file_result(directory, id, "err", flags)
			    : file_unnamed(directory);
	}
	if (output->live != NULL || (outputs->lines == NULL && output->err >= 0))
		return 0;
	output_drop(output); /* keeps errno */
	return -1;
}

static void
close_ends(struct output *output)
{
	if (output->err == output->out)
		output->err = -1;
	descriptors_close(&output->out);
	descriptors_close(&output->err);
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
	if (outputs->mode == OUTPUT_PLAIN || fstat(output->out, &st) != 0)
		return 0;
	return (long long)st.st_size;
}

/* Puts more of it into the box: 1, or 0 when nothing is left, or -1 with errno. We stop at the size
   of the first look: a process that the job left behind may still write, and faster than we
   read. */
static int
fetch(const struct outputs *outputs, struct kept *kept)
{
	char block[BLOCK];
	struct stat st;
	ssize_t n;

	for (; kept->part < 2; kept->part++, kept->at = 0, kept->size = -1, kept->inside = 0) {
		int from = kept->part == 0 ? kept->output.out : kept->output.err;
		const char *tag = kept->tags[kept->part];

		if (from < 0)
			continue;
		if (kept->size < 0 && fstat(from, &st) != 0)
			return -1;
		kept->size = kept->size < 0 ? st.st_size : kept->size;
		n = kept->at < kept->size ? pread(from, block, sizeof block, kept->at) : 0;
		if (n < 0)
			return -1;
		kept->at += n;
		lines_add(&kept->box, tag, block, (size_t)n, &kept->inside);
		if (n > 0)
			return 1;
		if (kept->inside && (tag != NULL ||
		    (outputs->terminal[kept->part] && progress_make_way()))) {
			lines_add(&kept->box, NULL, "\n", 1, &kept->inside);
			return 1;
		}
	}
	return 0;
}

/* 0 when all of it is shown, 1 when *blocked is to be polled, or -1 with errno. */
static int
show(const struct outputs *outputs, struct kept *kept, int *blocked)
{
	size_t before;
	int state;

	for (int writes = 0;; writes++) {
		if (outbox_waits(&kept->box) == 0 && (state = fetch(outputs, kept)) <= 0)
			return state;
		*blocked = outputs->to[kept->part];
		if (writes == MOST_WRITES || descriptors_poll(*blocked, POLLOUT, 0) == 0)
			return 1;
		if (outputs->terminal[kept->part])
			progress_make_way();
		before = outbox_waits(&kept->box);
		if (outbox_write(&kept->box, *blocked, OUTBOX_PIPE) != 0)
			return -1;
		if (outbox_waits(&kept->box) == before)
			return 1; /* somebody else was faster, and it is non-blocking */
	}
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
	free(first->tags[0]);
	free(first->tags[1]);
	free(first->line);
	free(first);
	errno = saved;
}

/* Only then is a job that succeeded not run again: what a kill or a full disk takes before is shown
   by its next run. */
static int
tell(const struct outputs *outputs, int out, int err, const char *line)
{
	const int *to = outputs->to;

	if (line == NULL)
		return 0;
	if (outputs->sync && outputs->files && ((out >= 0 && descriptors_sync(out) != 0) ||
	    (err >= 0 && descriptors_sync(err) != 0) ||
	    file_sync_directory(outputs->directory) != 0))
		return -1;
	if (outputs->sync && outputs->mode != OUTPUT_FILES &&
	    (descriptors_sync(to[0]) != 0 || descriptors_sync(to[1]) != 0))
		return -1;
	joblog_write(outputs->log, line);
	return 0;
}

/* All that a job wrote is written; or some of it is lost, and line is NULL. */
static int
live_shown(void *context, const char *line)
{
	struct outputs *outputs = context;

	outputs->waiting--;
	return tell(outputs, -1, -1, line);
}

int
outputs_pending(const struct outputs *outputs)
{
	return outputs->kept != NULL && (outputs->all || outputs->kept->id == outputs->next);
}

int
outputs_pump(struct outputs *outputs, int *blocked)
{
	struct kept *first;
	int state = 0;

	while (state == 0 && outputs_pending(outputs)) {
		first = outputs->kept;
		if ((state = show(outputs, first, blocked)) == 0)
			state = tell(outputs, first->output.out, first->output.err, first->line);
		if (state <= 0)
			drop_first(outputs);
	}
	return state;
}

/* Signals are open only while we wait for room. If one has ended us, a reader who takes nothing for
   half a second has stopped. 0, or -1 with errno. */
static int
wait_for(const struct outputs *outputs, int most, fd_set *out)
{
	static const struct timespec half = {0, 500000000};
	int ended = orders_end != 0 || orders_interrupts > 1,
	    n = pselect(most + 1, NULL, out, NULL, ended ? &half : NULL, outputs->mask);

	if (n > 0)
		return 0;
	if (n == 0)
		errno = EINTR;
	ended = orders_end != 0 || orders_interrupts > 1;
	return errno == EINTR && !ended ? 0 : -1;
}

int
outputs_flush(struct outputs *outputs)
{
	int state, blocked;
	fd_set set;

	if (outputs->lines != NULL)
		return lines_pump(outputs->lines);
	while ((state = outputs_pump(outputs, &blocked)) > 0) {
		FD_ZERO(&set);
		FD_SET(blocked, &set);
		if (wait_for(outputs, blocked, &set) != 0)
			break;
	}
	while (outputs_pending(outputs))
		drop_first(outputs);
	return state;
}

int
outputs_fds(const struct outputs *outputs, fd_set *in, fd_set *out)
{
	return outputs->lines == NULL ? -1 : lines_fds(outputs->lines, in, out);
}

int
outputs_close(struct outputs *outputs)
{
	fd_set set;
	int why = 0, most;

	outputs->all = 1;
	if (outputs->lines == NULL)
		return outputs_flush(outputs);
	do {
		if (lines_pump(outputs->lines) != 0 && why == 0)
			why = errno;
		FD_ZERO(&set);
		most = lines_fds(outputs->lines, NULL, &set);
	} while (most >= 0 && wait_for(outputs, most, &set) == 0);
	beside = NULL;
	errno = most >= 0 ? errno : why;
	return errno != 0 ? -1 : 0;
}

static void
keep(struct outputs *outputs, const struct output *output, long id, const char *tag, char *line)
{
	struct kept **place = &outputs->kept, *kept = need_memory(calloc(1, sizeof *kept));

	make_tags(outputs, kept->tags, tag, id);
	kept->id = id;
	kept->line = line;
	kept->output = *output;
	kept->size = -1;
	while (*place != NULL && (outputs->mode == OUTPUT_GROUP || (*place)->id < id))
		place = &(*place)->next;
	kept->next = *place;
	*place = kept;
	outputs->waiting++;
}

/* A job that did not look at what its write returned leaves half of its output, or none, and we
   are the ones who know. */
int
output_show(struct outputs *outputs, struct output *output, long id, const char *tag, char *line)
{
	int bad = 0, saved;

	if (output->out >= 0 && file_disk_full(output->out)) {
		complain("job %ld: the disk is full, some of its output may be lost", id);
		outputs->lost = 1;
		free(line);
		line = NULL;
	}
	if (output->live != NULL) {
		outputs->waiting++;
		lines_end(output->live, line);
	} else if (outputs->mode == OUTPUT_GROUP || outputs->mode == OUTPUT_ORDER)
		keep(outputs, output, id, tag, line);
	else {
		bad = tell(outputs, output->out, output->err, line);
		saved = errno;
		output_drop(output);
		free(line);
		errno = saved;
	}
	*output = (struct output){-1, -1, NULL};
	return bad;
}

void
output_skip(struct outputs *outputs, long id)
{
	if (outputs->mode != OUTPUT_ORDER)
		return;
	if (outputs->kept == NULL && outputs->next == id)
		outputs->next++;
	else
		keep(outputs, &(struct output){-1, -1, NULL}, id, NULL, NULL);
}
