/* The terms of a batch: jobctl(1) and jobctl_open have the same options for them. Include
   halt.h, output.h, progress.h and retry.h before. */
#include "../lib/limits.h"

struct options;

struct terms {
	enum output_mode mode;
	const char *directory; /* for files with the output, or NULL */
	int tag;               /* before each line: the arguments of the job ... */
	const char *tag_text;  /* ... or this, with places as in a command */
	int colour;            /* tags are coloured wherever they go */
	const char *log_path;  /* or NULL */
	int resume;            /* leave out what is in the log: what has succeeded ... */
	int resume_all;        /* ... and what has failed, too */
	int sync;              /* output and log are on disk before the line counts */
	struct halt halt;
	struct retry retry;
	long long limit;       /* ms for a job, or 0 */
	long long deadline;    /* ms for the batch, or 0 */
	long long between;     /* ms between two starts, or 0 */
	long long each;        /* ms between two in the same slot, or 0 */
	long nice;             /* added to ours */
	struct limits limits;  /* of load and memory */
	enum progress_kind progress;
	long total;            /* jobs, as far as it is known, or 0 */
	int quiet;
	int dry;
};

/* Codes of those that have no letter. */
enum {
	TERMS_GROUP = 256, TERMS_TAG, TERMS_RESULTS, TERMS_LOG, TERMS_RESUME, TERMS_RESUME_FAILED,
	TERMS_SYNC, TERMS_HALT, TERMS_RETRIES, TERMS_TIMEOUT, TERMS_DEADLINE, TERMS_DELAY,
	TERMS_SLOT_DELAY, TERMS_NICE, TERMS_BAR, TERMS_TOTAL, TERMS_QUIET, TERMS_DRY, TERMS_LABEL,
	TERMS_STATUS, TERMS_LINE_BUFFER, TERMS_TAGSTRING, TERMS_COLOUR, TERMS_LOAD, TERMS_MEMFREE,
	TERMS_MORE /* a program's own begin here */
};

#define TERMS_STARTS \
	{TERMS_DELAY, "delay", "SECONDS", "wait this long between any two starts"}, \
	{TERMS_SLOT_DELAY, "slot-delay", "SECONDS", "... between two starts in the same slot"}, \
	{TERMS_LABEL, "label", "LABEL", "name the next slot; its jobs have it as JOBCTL_LABEL"}, \
	{TERMS_NICE, "nice", "N", "add N to the nice value of the jobs"}, \
	{TERMS_DEADLINE, "deadline", "SECONDS", "end the whole batch after this time"}
#define TERMS_WHEN \
	{TERMS_LOAD, "load", "L", "start none while the load is this or more: 4, 100%"}, \
	{TERMS_MEMFREE, "memfree", "SIZE", "... while less memory is available: 500M, 2G"}, \
	{TERMS_TIMEOUT, "timeout", "SECONDS", "end a job that takes this long: it has failed"}, \
	{TERMS_RETRIES, "retries", "N[,SECONDS]", "try a job N times in all"}, \
	{TERMS_HALT, "halt", "WHEN", "end early: soon,fail=1  now,fail=10%  now,success=1"}, \
	{TERMS_HALT, "halt-on-error", "WHEN", NULL}
#define TERMS_OUTPUT \
	{'k', "keep-order", NULL, "as --group, and in the order of the starts"}, \
	{TERMS_GROUP, "group", NULL, "output of each job in one piece, when it has ended"}, \
	{'u', "ungroup", NULL, "output as it comes (the default)"}, \
	{TERMS_TAG, "tag", NULL, "put a tag before each line of a job's output"}, \
	{TERMS_COLOUR, "colour", NULL, "colour the tags in a file or pipe, too"}, \
	{TERMS_COLOUR, "color", NULL, NULL}, \
	{TERMS_RESULTS, "results", "DIR", "write the output of job 7 to DIR/7.out and DIR/7.err"}, \
	{TERMS_BAR, "bar", NULL, "show the progress on standard error"}, \
	{TERMS_BAR, "eta", NULL, NULL}, \
	{TERMS_BAR, "progress", NULL, NULL}, \
	{TERMS_STATUS, "status", NULL, "... with a line for each job that runs"}, \
	{TERMS_QUIET, "quiet", NULL, "no messages about jobs that failed, and no summary"}, \
	{TERMS_QUIET, "silent", NULL, NULL}
#define TERMS_LIVE \
	{TERMS_LINE_BUFFER, "line-buffer", NULL, "output as it comes, but by whole lines"}, \
	{TERMS_LINE_BUFFER, "linebuffer", NULL, NULL}, \
	{TERMS_LINE_BUFFER, "lb", NULL, NULL}, \
	{TERMS_TAGSTRING, "tagstring", "STR", "as --tag, with STR, which may have {} {#} {%}"}, \
	{TERMS_TAGSTRING, "tag-string", "STR", NULL}
#define TERMS_TOTAL_JOBS \
	{TERMS_TOTAL, "total-jobs", "N", "--bar of this many jobs"}
#define TERMS_DRY_RUN \
	{TERMS_DRY, "dry-run", NULL, "only print the commands"}, \
	{TERMS_DRY, "dryrun", NULL, NULL}
#define TERMS_LOGGED \
	{TERMS_LOG, "joblog", "FILE", "write a line for each job into this file"}, \
	{TERMS_RESUME_FAILED, "resume-failed", NULL, "leave out what succeeded, by the joblog"}, \
	{TERMS_RESUME, "resume", NULL, "leave out what is in the joblog"}, \
	{TERMS_SYNC, "sync", NULL, "write a job's line once its output is on disk"}

/* Takes that option, whose argument must stay: 1, or 0 when it is none of these. Exits after a
   message for a wrong argument. */
int terms_take(struct terms *terms, const struct options *options, int code);
/* Where a display is asked for and can be drawn, output that would go to the terminal as it comes
   is to be shown by us, in that mode: else nothing takes the display away before it. 1 if so. */
int terms_settle(struct terms *terms, enum output_mode mode);
/* Exits after a message where they do not go together. */
void terms_check(const struct terms *terms);
