/* The books of a batch: its jobs, and the news of them for the shell. */
#include "../book/halt.h"
#include "../book/joblog.h"
#include "../book/output.h"
#include "../book/progress.h"
#include "../book/retry.h"
#include "../book/terms.h"
#include "job.h"

struct books {
	/* From the options: books_option() takes those with a name here. */
	struct terms terms;     /* --OPTION[=ARGUMENT] */
	const char *worker;     /* worker=NAME of tasks, shown before their names */
	const char *grace;      /* grace=SECONDS before KILL */
	const char *who;        /* who=jobctl_run, in messages from the start on; or NULL */
	int trace;              /* "trace": report tasks' steps */
	int ended, failed_too;  /* "ended": tell the shell of each end; "failed": of failures */
	int waits, words;       /* "waits": the shell waits for its jobs, where they are plain; or
	                           "words": it cannot, and all of them have last words */
	int asks;               /* "asks": the shell asks for each lease */

	long next;              /* the id of the next job */
	const char *key;        /* a word after the job's number in each lease; or NULL */
	int once;               /* do not try a lost job again */
	int out;                /* the descriptor on which output is shown, or 0 for 1 */
	int dir;                /* of the leases, the caller's */
	char **labels;          /* of slots, the caller's */
	long labelled;
	struct joblog log;
	struct outputs outputs;
	struct progress progress;
	long started, succeeded, failed, skipped;
	long first_failed;      /* or -1 */
	int result;             /* for which no more jobs start, or 0 */
	int stopping;           /* the caller shall end those that run, too */
	int running;            /* jobs that have a lease */
};

/* Takes NAME=VALUE, NAME, or an option of the batch. The text must stay. 0, or -1 after a message;
   exits after one for a wrong option of the batch. */
int books_option(struct books *books, const char *text);
/* Opens the log, and prepares the output of jobs. 0, or -1 after a message. */
int books_open(struct books *books);
/* 1 if the next job shall not run: the log says so, or this is a dry run. */
int books_skip(struct books *books, const char *text);
/* No job will have this number. */
void books_leave_out(struct books *books, long id);
/* No more jobs are started; the first reason stays. */
void books_stop(struct books *books, int result);
/* A job has ended, on that lease: 1 to try it again, which its shell can do, else 0. */
int books_ended(struct books *books, struct job *job, const char *lease);
/* The same, for a job that we ended to run it again. */
void books_put_back(const struct books *books, const struct job *job, const char *lease);
/* The result of the task in that job was read: removes it. */
void books_read(const struct books *books, long id);
/* A failed job cannot be tried again after all. */
void books_give_up(struct books *books, const struct job *job);
/* Shows as much output as can be shown now; *blocked is a descriptor that takes no more, or -1. */
void books_show(struct books *books, int *blocked);
/* Tells the shell how many jobs have ended, and failed. */
void books_count(const struct books *books);
/* With --trace of jobctl_tasks: reports a step of a task. */
void books_trace(const struct books *books, const char *task, const char *format, ...);
/* The number of jobs, without those left out, or -1. */
long books_total(const struct books *books);
/* The figures so far. */
struct figures books_figures(const struct books *books);
/* The batch is over: closes all. */
void books_close(struct books *books);
/* The result of the batch so far: 1 if jobs have failed. */
int books_result(const struct books *books);
