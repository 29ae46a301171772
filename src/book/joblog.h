/*
 * The log of jobs: a line for each that ended, in the columns of GNU parallel's
 * --joblog, tabs between them:
 *
 *	Seq Host Starttime JobRuntime Send Receive Exitval Signal Command
 *
 * Host is the slot's label, or its number; Starttime in seconds since the epoch,
 * JobRuntime in seconds; Send is 0; Receive the bytes of output, where that is
 * collected; Command as recipe_text() has it. Each line is one write.
 *
 * joblog_open() creates the file, or empties the log that it is; with resume it
 * reads what is there and appends. Complains and returns -1 where the file is
 * something else or cannot be used. joblog_close() closes it: 0, or -1 after a
 * complaint.
 * joblog_write() returns 0, or -1 after a complaint.
 * joblog_past() says what a resumed log knows of the job.
 */
#include <stddef.h>
#include <time.h>

enum joblog_past { PAST_NONE, PAST_FAILED, PAST_SUCCEEDED, PAST_OTHER /* not this command */ };

struct joblog {
	const char *path; /* NULL: none is kept */
	int fd;
	struct past *past; /* what a log that was there says, in the order of the ids */
	size_t pasts, room;
};

struct joblog_line {
	long id;
	const char *host, *command;
	struct timespec start;
	long long ms, bytes;
	int status, signal;
};

int joblog_open(struct joblog *log, const char *path, int resume);
int joblog_close(struct joblog *log);
int joblog_write(const struct joblog *log, const struct joblog_line *line);
enum joblog_past joblog_past(const struct joblog *log, long id, const char *command);
