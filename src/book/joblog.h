/*
 * The log of jobs: a table, with a line for each job that ended or could not be begun, each one
 * write: see logline.h.
 */
#include <sys/types.h>

#include <stddef.h>

#include "../lib/table.h"
#include "verdict.h"

struct joblog {
	const char *path; /* NULL: none is kept */
	int fd;
	int sync;          /* each line is on disk when it is written; the caller's to set */
	int failed;        /* a line, after a message: nothing more is written */
	off_t size;        /* in bytes, by what we wrote */
	struct table past; /* what a log that was there says: jobs with a command, and those with a
	                      number, too, that failed */
	long commands;
	long highest;      /* number of a job in it, or 0 */
	int asked, met;    /* joblog_take() was called; it has found something */
};

/* Creates or empties the log; with resume reads it and appends; dry: at most reads it. A file that
   is there must be a log, each line of it. Nobody else can open it until it is closed, where the
   file system has locks. 0, or -1 after a message: it is left as it was, or empty where its first
   line cannot be written. */
int joblog_open(struct joblog *log, const char *path, int resume, int dry);
/* Closes it: 0; or -1 after a message, where a line has failed or is not there any more. */
int joblog_close(struct joblog *log);
/* The text of a line, for free(3), or NULL if no log is kept. */
char *joblog_text(const struct joblog *log, const struct end *end, const char *command);
/* Writes it, when the output of the job has been shown. */
void joblog_write(struct joblog *log, const char *text);
/* Both at once, where the job has no output to show. Output that fails sets log->failed. */
void joblog_add(struct joblog *log, const struct end *end, const char *command);
/* Takes a line of a resumed log for a job that succeeded, with this command to the letter; all: or
   failed. 1, or 0 when there is none. Each line stands for one job, whatever its number; but for
   several tries of a number the last. */
int joblog_take(struct joblog *log, const char *command, int all);
/* The list of jobs has ended: says so when the log had none of them, for it may be another's. */
void joblog_check(const struct joblog *log);
