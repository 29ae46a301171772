/* The books of a batch: log, output, progress, tries, when to stop. */
#ifndef BOOK_H
#define BOOK_H
#include <sys/select.h>
#include <sys/types.h>

#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "../display/display.h"
#include "../lib/lib.h"

/* file.c: a file with what a job wrote to one of its descriptors. All descriptors are closed on
   exec. */
/* Makes that directory where there is none, with those above it: 0, or -1 with errno. */
int file_directory(const char *path);
/* A file without a name in the directory, which ends with its last descriptor; or -1 with errno. */
int file_unnamed(const char *directory);
/* DIRECTORY/ID.WHAT, opened with these flags of open(2), or -1 with errno. */
int file_result(const char *directory, long id, const char *what, int flags);
/* The highest number of a job that has such files in the directory, 0 where none has; or -1 with
   errno. */
long file_highest(const char *directory);
/* Opens NAME.WHAT of the directory dir to read: the descriptor, or -1 with errno. */
int file_written(int dir, const char *name, const char *what);
/* Removes NAME.out and NAME.err from there. */
void file_forget(int dir, const char *name);
/* A file that is on disk has a name there when this was called for its directory: 0, or -1 with
   errno. */
int file_sync_directory(const char *path);
/* 1 where that file system has no room left, else 0. */
int file_disk_full(int fd);

/* halt.c: when a batch stops starting jobs. */
struct halt {
	int now;      /* and ends those that run */
	enum { HALT_NEVER, HALT_FAIL, HALT_SUCCESS, HALT_DONE } what;
	long count;
	int percent;
};

#define HALT_SUCH "such as now,fail=1 or soon,fail=10%"

/* "now,fail=3", "soon,done=10%", just "soon", which is fail=1, or "never". 0, or -1 for anything
   else. */
int halt_scan(struct halt *halt, const char *text);
/* 1 when it is time, with that many jobs that succeeded and failed. */
int halt_reached(const struct halt *halt, long succeeded, long failed);

/* verdict.c: how a job ended, as it is told, and written into the log. */

/* Of the job, or of its last try. */
struct end {
	long id;
	int status, signal;
	long long limit;   /* ms that it had, if it was late, else 0 */
	char why;          /* a letter, if a status does not say it: verdict.c; else 0 */
	const char *host;  /* the label of its slot, or NULL */
	long slot;         /* or 0: it could not be begun */
	struct timespec start;
	long long ms;      /* that it took */
	long long bytes;   /* of its output */
};

/* Says "job 3: exit status 1: COMMAND", or its like; command may be NULL. */
void verdict_say(const struct end *end, const char *command);

/*
 * joblog.c: the log of jobs: a table, with a line for each job that ended or could not be begun,
 * each one write: see logline.c.
 */

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

/*
 * lines.c: the output of jobs, as it is shown. A job writes into two pipes, which we read: what is
 * not yet a line waits here; lines go on, after their tag, to where ours of their kind goes. Or it
 * has written into two files, which are shown in one piece when it has ended. Nothing here blocks:
 * while a reader takes no more, the jobs wait. A line that is too long to be held is written in
 * pieces. Nobody else writes there until it ends; but what its own job writes to the other place
 * meanwhile is read and held.
 */

struct live; /* the output of one job */

/* Begins, to show what is written to 1 and 2 there; of files, those from that id on. shown is told
   of each job that has ended when all of its output is written, with its line, or NULL if some of
   that is lost. It returns 0, or -1 with errno. 0, or -1 with errno: we are to exit. Until then all
   functions without a job do nothing, and return 0, or -1 for no descriptor. */
int lines_open(const int to[2], long first, int (*shown)(void *context, const char *line),
    void *context);
/* 1 while a line on a terminal has still to end. There progress.c makes way for each write, and all
   ends with a newline, so that it can be drawn again below. */
int lines_inside(void);
/* Output for a job: ends are for its descriptors 1 and 2, or -1; the caller closes them, once if
   they are the same. Tags come before its lines, and are ours now, or NULL. NULL with errno. */
struct live *lines_begin(int ends[2], char *const tags[2]);
/* The job was not started. */
void lines_cancel(struct live *live);
/* The job has ended: reads what it has left, but waits for nobody whom it has left behind. Returns
   how much it has written to 1. */
long long lines_drain(struct live *live);
/* The rest is to be shown, and then shown() is told of line, which becomes ours. */
void lines_end(struct live *live, char *line);
/* A job has ended, and its output is in these files, or -1: they, tags and line are ours now. Files
   are shown in the order of ids, or at once if that is 0; then shown() is told. */
void lines_keep(long id, const int files[2], char *const tags[2], char *line);
/* The turn of all files has come, even if ids are missing. */
void lines_all(void);
/* 1 while something whose turn has come is not shown yet. */
int lines_due(void);
/* Shows a message to 2 that must not tear a line: 0, or -1 if there is no need to, or no way. */
int lines_say(const char *text);
/* Adds what to wait for to sets of select(2), or, without "in", readers alone: the highest
   descriptor, or -1. */
int lines_fds(fd_set *in, fd_set *out);
/* A reader to wait for, which may take more already after much output; or -1. */
int lines_blocked(void);
/* Reads and writes what can be without blocking: 0, or -1 with errno if since the last call
   something could not be. From then on, output for the same place is read and dropped. */
int lines_pump(void);

/*
 * logline.c: a line of the log of jobs. Its columns, with tabs between them, are those of GNU
 * parallel's --joblog, and the first line has their names: LOGLINE_HEADER. Ours have
 *
 *	Seq         the number of the job
 *	Host        the label of its slot, or else the slot's number; "-" without a slot
 *	Starttime   in seconds since 1970, such as 1700000000.123
 *	JobRuntime  in seconds; GNU parallel pads it with blanks on the left
 *	Send        0
 *	Receive     bytes of output, where that is collected
 *	Exitval     its exit status; GNU parallel has -1 for a job that was out of time
 *	Signal      that killed it, or 0
 *	Command     all up to the end; in a log of GNU parallel a NUL stands for a newline
 */

#define LOGLINE_HEADER \
	"Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand"

enum logline_kind {
	LOGLINE_JOB,   /* all numbers are within their limits */
	LOGLINE_NAMES, /* the header, perhaps once more: somebody has joined two logs */
	LOGLINE_BAD    /* why is set */
};

/* A line that was read. Zero it before the first line of a file. */
struct logline {
	size_t number;        /* of the line */
	int windows;          /* the last header ended in CR LF, and so does each line */
	char why[160];        /* such as "Starttime 'nan' is no number from 0 to 253402300799" */
	long seq;
	char *host, *command; /* in the text that was read */
	size_t length;        /* of the command, which may contain a NUL */
	long long start, time; /* microseconds, since 1970 */
	long long sent, received;
	int status, signal, succeeded;
	int padded;           /* GNU parallel's: Host is a machine, with many jobs at once */
};

/* Reads the next line, without its newline; changes it. */
enum logline_kind logline_read(struct logline *line, char *text, size_t length);
/* The text of a line and its newline, for free(3). */
char *logline_text(const struct end *end, const char *command);

/*
 * output.c: the output of jobs. It is kept in files without a name in $TMPDIR, so nothing is left
 * whatever kills us.
 */

struct terms;

enum output_mode {
	OUTPUT_PLAIN, /* goes where ours goes, as it comes */
	OUTPUT_LINES, /* as it comes, by whole lines: lines.c */
	OUTPUT_GROUP, /* kept until its job has ended; then shown, each where ours of it goes */
	OUTPUT_ORDER, /* also in the order of the jobs' numbers */
	OUTPUT_FILES  /* not shown: it goes to files alone */
};

struct output {
	int fd[2];              /* for 1 and 2, closed on exec; -1: ours, or nothing was written */
	struct live *live;      /* OUTPUT_LINES: these are pipes into this, until the start */
};

#define OUTPUT_NONE {{-1, -1}, NULL}

struct outputs {
	enum output_mode mode;
	int files;              /* it goes to DIRECTORY/ID.out and DIRECTORY/ID.err, which stay */
	const char *directory;  /* of these, or of temporary files */
	int to[2];              /* where what a job wrote to descriptors 1 and 2 is shown */
	int terminal[2];        /* whether that is a terminal ... */
	int coloured[2];        /* ... and the tags there have colours */
	long waiting, most;     /* jobs that ended and are not shown; no more start then */
	long next;              /* number of the first job */
	int lost;               /* on a full disk, as it seems: the batch has failed */
	struct joblog *log;     /* gets a job's line when all that it wrote is shown, or on disk */
};

/* Prepares that, and opens the log, where the terms have one. What jobs write to 1 is shown on the
   descriptor "out". Jobs have numbers from "first" on, or after those that an earlier run has used:
   next is set. 0, or -1 after a message. */
int outputs_open(struct outputs *outputs, const struct terms *terms, struct joblog *log, int out,
    long first);
/* Sees to descriptors for that many jobs. */
void outputs_bound(struct outputs *outputs, long jobs);
/* 0 while so much waits, for its turn or a reader, that no more jobs should be started. */
int outputs_room(const struct outputs *outputs);
/* Shows what is left, as no more follows, with that mask while we wait for a reader: 0, or -1 with
   errno. */
int outputs_close(const sigset_t *mask);
/* Makes the descriptors for a job, whose lines have that tag, or NULL: 0, or -1 with errno. */
int output_open(const struct outputs *outputs, struct output *output, long id, const char *tag);
/* The job has started: closes what is its own only. */
void output_started(struct output *output);
/* The job has ended: sees to what comes no more of itself. How much standard output there is. */
long long output_ended(const struct outputs *outputs, const struct output *output);
/* Closes them; what was written is forgotten, as the job is tried again or was not started. */
void output_drop(struct output *output);
/* Opens what a job wrote into NAME.out and NAME.err of the directory, and removes the names; or
   what it wrote into its files of --results, which stay. A missing file is an empty one. 0, or -1
   with errno: then they are still there. */
int output_adopt(const struct outputs *outputs, struct output *output, long id, int dir,
    const char *name);
/* Takes over a finished job's output, to show it when its turn has come, each line after the tag;
   and its line of the log, or NULL, which is dropped with what cannot be shown, or was lost on a
   full disk. 0, or -1 with errno. */
int output_show(struct outputs *outputs, struct output *output, long id, const char *tag,
    char *line);
/* The job of that number will never be shown. */
void output_skip(struct outputs *outputs, long id);

/*
 * progress.c: how far a batch is: on standard error, and on a board for others to read. On a
 * terminal a line is drawn anew in its place, with a line for each running job below it where that
 * is asked for. Elsewhere there is a plain line now and then, and one at the end.
 */

enum progress_kind { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_STATUS };

struct figures {
	long done;    /* jobs that are over, but for those that were left out ... */
	long failed;  /* ... of which these have failed */
	long running;
	long begun;   /* all that ever did */
};

/* A job that runs. */
struct running_job {
	long slot, id, tries;
	pid_t pid;             /* or 0 */
	long long began;       /* clock.c */
	const char *label;     /* of its slot, or NULL */
	const char *command;   /* on one line, or NULL */
};

struct progress {
	enum progress_kind kind;
	struct board board;    /* the caller's to open */
	long slots, total;     /* total: jobs that are not left out, or -1; the caller's to set */
	struct figures now;
	long long began, shown; /* clock.c */
	long long epoch;       /* when it began, in ms since the epoch */
	int ended;             /* nothing is to come */
};

/* Begins; total is the number of jobs, or -1. */
void progress_open(struct progress *progress, enum progress_kind kind, long total);
/* Takes the figures: 1 when it is time to show them, after each running job was told. */
int progress_take(struct progress *progress, const struct figures *figures);
/* Tells of one. */
void progress_job(struct progress *progress, const struct running_job *job);
/* Shows what was told; inside: a line on the terminal has still to end, so none is drawn there. */
void progress_show(struct progress *progress, int inside);
/* The window has another size: it is drawn anew at once. */
void progress_resized(struct progress *progress);
/* Others have written there: what is drawn is nobody's any more. */
void progress_forget(void);
/* Takes what is drawn off the terminal, before something else is written there: 1 if there is a
   terminal to draw on. */
int progress_make_way(void);
/* Shows the figures for the last time. */
void progress_end(struct progress *progress, const struct figures *figures);
/* Takes down the board, when all is done. */
void progress_close(struct progress *progress);
/* How long until there is something to show though nothing has happened, or -1. */
long long progress_wait_ms(const struct progress *progress);

/* quote.c: text shown on one line, as one would type it. */

/* The bytes that need no quotes. */
#define QUOTE_PLAIN \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"
/* A newline in a word, as POSIX has it since 2024. */
#define QUOTE_NEWLINE "$'\\n'"

/* Adds a word as a shell wants it: in single quotes where there is anything to quote. */
void quote_word(struct outbox *out, const char *text, size_t length);
/* Adds them likewise, up to a NULL, with blanks between. */
void quote_words(struct outbox *out, char **words);
/* Words in quotes of the shell library, quoted as here, or flat; for free(3). */
char *quote_again(const char *text);

/* retry.c: how often a job is tried, and how long it waits before it is tried again. */
struct retry {
	long tries;        /* at least 1 */
	long long pause;   /* ms before the second try, which doubles with each further one */
};

#define RETRY_SUCH "tries and seconds such as 3 or 3,0.5"

/* "3" or "3,0.5": tries, and seconds before the second one, else 1. 0, or -1 for anything else. */
int retry_scan(struct retry *retry, const char *text);
/* How long to wait before the next try, in ms: the pause, doubled for each further try up to an
   hour; or what the job has said, unless that is -1. And up to half as much again, by chance: what
   failed at the same time is not to come again at the same time. */
long long retry_wait_ms(const struct retry *retry, long tried, long long said);

/* terms.c: the terms of a batch: jobctl(1) and jobctl_open have the same options for them. */

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
#endif
