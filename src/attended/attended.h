/*
 * A dispenser and its attendant, which is one shell: the dispenser keeps the books of jobs, and the
 * shell starts them. tokend(5) has their language. Beyond what it says:
 *
 * A line with a lease has a KEY as its third word, if the batch has one: a line without it is not
 * ours, as the shell's descriptor is another file.
 *
 * A job that can be tried again has a shell that stays as it was started; a child of it runs the
 * command. Until that shell waits at its FIFO (jobend -w) we try again to tell it its lease. If it
 * has died, or dies before it has opened that, the job is over, too. Without the FIFO's name or
 * without us the shell waits no longer. Until the job is over no other job has the lease of its
 * first try: before a job, the script waits for the last one there.
 *
 * A job's output is kept unless its descriptor is another file than that of the dispenser was: the
 * guard names the files at jobctl_open, and jobend -s compares.
 */
#ifndef ATTENDED_H
#define ATTENDED_H
#include <sys/types.h>

#include <stddef.h>
#include <time.h>

#include "../book/book.h"
#include "../lease/lease.h"
#include "../lib/lib.h"
#include "../places/places.h"

struct jobs;

/* A job of the shell, from the moment that it is given a lease. */
struct job {
	int granted;           /* there is one; else the rest is zeroed */
	int asked;             /* the shell had asked for the lease ... */
	int pushed;            /* ... or not, and nobody had */
	long id;
	long tries;            /* so far, with this one */
	char *text;            /* the command, quoted, on one line; or NULL */
	char *task;            /* the name of a task; or NULL */
	pid_t pid;             /* of its shell, or 0 while nobody has told it */
	int known;             /* its status is */
	int speaks;            /* in a plain batch: it will have a last word */
	char why;              /* the letter for why its command cannot be run (verdict.c), or 0 */
	int told;              /* its text is known only from its end */
	int late;              /* it took longer than allowed */
	int ended;             /* we have ended it */
	int put_back;          /* it was not begun at its place, and waits for another lease */
	int again;             /* it has failed, and its shell waits for another lease: again.c */
	pid_t shell;           /* that can repeat it, or 0 while nobody has told it */
	int given;             /* its shell has yet to open the lease it was given: again.c */
	int kept;              /* a lease is kept for it, by whose name the script knows it */
	int never, lost;       /* it was not begun at its place; it was, and its end is unknown */
	long long after;       /* ms until its next try, if this one has said so; or -1 */

	/* Of the last try that has ended: */
	int status;            /* as in $?: 128+n when signal n killed it */
	long slot;
	struct timespec start;
	long long ms;          /* that it took */
};

/* attendant.c: a queue in front of standard output, written only when that does not block. Out of
   memory: we report it, and the next flush fails, for a lost line would lose a token. */

/* Queues the formatted line. */
void attendant_say(const char *format, ...);
/* The same, and remembers the line until the shell has acknowledged it. */
void attendant_tell(const char *format, ...);
/* The shell has heard the oldest of these. */
void attendant_heard(void);
/* Says the remembered lines again. */
void attendant_again(void);
/* Nobody reads any more: drops all lines, also those to come. */
void attendant_mute(void);
/* Writes as much as can be written now. 0, or -1 if the reader has gone or a line was lost. */
int attendant_flush(void);
/* How many bytes wait. */
size_t attendant_waits(void);

/* calls.c: the file into which the shell writes. A long one is replaced. */
struct calls {
	int dir;            /* the caller's */
	struct feed feed;
	size_t read, most;  /* bytes of this file; after how many there is another one */
	int next;           /* the file that has the name now, or -1 */
	int astray;         /* if our file was removed, read the one that the shell makes in its
	                       place; the caller's to set */
};

/* Makes the file in that directory. 0, or -1 with errno. */
int calls_open(struct calls *calls, int dir);
/* Takes each line of the file, without its newline. 0, or -1 with errno. */
int calls_read(struct calls *calls, void (*take)(void *, char *), void *context);
/* 0 if the shell would write into another file, or none; 1 else, or if nobody can tell. */
int calls_stand(const struct calls *calls);
/* Frees all. */
void calls_close(struct calls *calls);

/* leases.c: first the current leases of slots 1, 2 ..., then the retired ones: their token is home
   already, or their slot is gone, but a job still has them open. */
struct lease {
	int fd;              /* read end, -1 when closed */
	long slot, generation;
	char name[LEASE_NAME];
	int adopted;         /* was out when this dispenser took over */
	int out;             /* announced, and not come home */
	int rests;           /* free, but too soon to be announced */
	int early;           /* its job has returned the token: the caller sets it */
	int asked;           /* the shell is asked how its last job ended */
	long hoped;          /* the job of this number + 1 has left it without a word, and so has
	                        succeeded, unless the shell says otherwise; or 0 */
	long kept;           /* for the job of this number + 1, whose shell has yet to end; or 0;
	                        -1: not any more */
	int running;         /* its job has said that it begins, and is not late */
	long long since;     /* when it was announced, or its job began (clock.c) ... */
	struct timespec start; /* ... by the time of day */
	struct turn turn;
	struct job job;      /* for which it was announced */
};

struct leases {
	struct news *news;   /* all leases are in it; neither this ... */
	int dir;             /* ... nor this is ours to close */
	int deaf;            /* see leases_hear() */
	size_t count, total, room;
	struct lease *list;
};

/* Finds held leases, removes others, makes missing ones. 0, or -1 and a message. */
int leases_open(struct leases *leases, struct news *news, int dir, size_t count);
/* Makes a closed lease ready for the next holder. 0, or -1 with errno, and its fd is -1. */
int leases_renew(struct leases *leases, size_t i);
/* Puts a new lease in place of one still held. 0, or -1 with errno and no change. */
int leases_retire(struct leases *leases, size_t i);
/* Forgets a retired lease; the last takes its place. */
void leases_drop(struct leases *leases, size_t i);
/* The index of the lease with that descriptor, or total. */
size_t leases_find(const struct leases *leases, int fd);
/* The lease of that job, or NULL. */
struct lease *leases_of(struct leases *leases, long id);
/* The index of the lease of that name, or total. */
size_t leases_named(const struct leases *leases, const char *name);
/* While deaf, messages stay in the leases and only closing is news. 0, or -1 with errno. */
int leases_hear(struct leases *leases, int deaf);
/* Closes all, and takes all names out of the directory. */
void leases_close(struct leases *leases);

/* heard.c: the words of jobs in their leases. */

/* Reads a lease: 0 when nobody has it open. Its token may come home early: lease->early. */
int heard_on(struct jobs *jobs, struct lease *lease);
/* A status of a shell, also 256+n and 384+n, as $? has it: 128+n. */
int heard_status(long status);

/* starts.c: jobs that wait for a lease of their own accord: those of callbacks, tasks, and failed
   ones, whose shells wait, until the time of their next try. */
enum { WANTS_MOST = 200 }; /* so many shells wait, and no other jobs begin */

struct want {
	struct want *next;
	long long due;     /* clock.c, of those that have failed; or 0 */
	struct job job;    /* tries: of those before; its id is set unless they are 0 */
};

struct wants {
	struct want *first, *last; /* of callbacks and tasks, in their order */
	struct want *later;        /* failed, in the order of their times */
	long count, shells;        /* of all, and of those that have failed: again.c */
};

/* Adds one; what the job has is taken over. 0, or -1 with errno. */
int wants_add(struct wants *wants, const struct want *want);
/* Takes the next if its time has come, or with all at any time: 1, or 0. */
int wants_take(struct wants *wants, struct want *want, int all);
/* Takes the failed one with that number: 1, or 0. */
int wants_cut(struct wants *wants, long id, struct want *want);
/* How long until the next is due; -1: there is none. */
long long wants_wait_ms(const struct wants *wants);

/* books.c: the jobs of the batch, and the news of them for the shell. */
struct books {
	/* From the options: books_option() takes those with a name here. */
	struct terms terms;     /* --OPTION[=ARGUMENT] */
	const char *worker;     /* worker=NAME of tasks, shown before their names */
	const char *grace;      /* grace=SECONDS before KILL */
	const char *who;        /* who=jobctl_run, in messages from the start on; or NULL */
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
/* No more jobs are started; the first reason stays. */
void books_stop(struct books *books, int result);
/* A job has ended, on that lease: 1 to try it again, which its shell can do, else 0. */
int books_ended(struct books *books, struct job *job, const char *lease);
/* Removes the output of a failed try; processes that it left behind may still write there. */
void books_forget(const struct books *books, const struct job *job, const char *lease);
/* The result of the task in that job was read: removes it. */
void books_read(const struct books *books, long id);
/* A job has ended for good; lease: NULL if nothing is left of its output. */
void books_enter(struct books *books, const struct job *job, const char *lease);
/* Shows as much output as can be shown now: a descriptor that takes no more, or -1. */
int books_show(struct books *books);
/* Tells the shell how many jobs have ended, and failed. */
void books_count(const struct books *books);
/* The number of jobs, without those left out, or -1. */
long books_total(const struct books *books);
/* The figures so far. */
struct figures books_figures(const struct books *books);
/* The batch is over: closes all. */
void books_close(struct books *books);
/* The result of the batch so far: 1 if jobs have failed. */
int books_result(const struct books *books);

/* ender.c: ends jobs: tokstop(1) does, as a child of ours, which knows families and waits for the
   grace. */
struct ender {
	struct news *news;  /* the caller's, as is the next */
	const char *path;   /* of the dispenser, whose leases jobs have */
	pid_t script;       /* the ancestor of jobs, or 0 if unknown */
	char grace[24];     /* seconds */
	struct ending *list;
};

/* The shell of a job, and its lease or NULL: if the shell is gone, the holders of that are
   ended. */
struct doomed {
	pid_t pid;
	const char *lease;
};

/* Ends these jobs' shells, and all that they have started: 0, or -1 with errno. */
int ender_begin(struct ender *ender, const struct doomed *jobs, size_t count);
/* Takes the news of a descriptor: 1, or 0 when that is not ours. */
int ender_event(struct ender *ender, int fd);
/* 1 while jobs are being ended. */
int ender_busy(const struct ender *ender);

/* jobs.c: the leases, and the news on these. */
struct unknown;
struct kept;

enum waits { WAITS_NOT, WAITS_ALL, WAITS_CLOSE };

struct jobs {
	struct leases leases;
	struct books books;
	struct calls calls;
	struct wants wants;
	struct table tasks;  /* names that were given; count[0]: how often */
	struct ender ender;
	struct pace *pace;   /* the caller's */
	const char *path;    /* of the dispenser */
	int plain;           /* the batch is: ends.c */
	int lines;           /* the attendant wants to be told */
	int inherited;       /* another dispenser died here */
	const char *junk;    /* where some was read, or NULL; the caller resets it */
	long long deadline;  /* when the attendant shall stop (clock.c), or 0 */
	int bell;            /* read end: tokend(5) */
	int blocked;         /* a descriptor that takes no more output now, or -1 */
	struct unknown *unknown; /* ended, and the shell is asked how */
	long long looks;     /* when again.c looks for shells that have died (clock.c) */
	struct sites sites;  /* of slots, the caller's; zeroed: all are here */
	int asked;           /* the shell waits for a lease ... */
	char *text;          /* ... for this command, or NULL */
	long question;       /* the shell waits until its task has begun: tokend(5); or 0 */
	enum waits waits;    /* the shell, for "all" ... */
	int copied;          /* ... and it is a copy of the one that began */
	int killing;         /* all jobs are ended */
	int told;            /* the shell was told to start no more */
	int alone;           /* no shell is left to be asked */
	int closed;          /* the batch is over, and so may we be */
	long long home;      /* when we give up on jobs that we end (clock.c), or 0 */
	struct kept *options; /* of the shell; kept for good */
	long least;          /* the first id that nobody asked for: starts.c */

	/* If the tokens are make's (jobserver.c, which is open; or there is only the first): */
	int borrowing;
	int heard;           /* the descriptor on which we wait for it, or -1 */
};

/* Opens leases, books and the bell: 0, or -1 after a message. */
int jobs_open(struct jobs *jobs, struct news *news, int dir, size_t count);
/* Closes all, and takes all names out of the directory. */
void jobs_close(struct jobs *jobs);
/* Tells the shell of slots and labels at the start. */
void jobs_announce(struct jobs *jobs, char **labels, long labelled);
/* Takes the news of a descriptor: 1, or 0 when that is not ours. */
int jobs_event(struct jobs *jobs, int fd);
/* The shell has ended, but not its batch: says what it has not heard. */
void jobs_left_open(struct jobs *jobs);
/* Nobody is left to ask: make's tokens go back, even if jobs still run. */
void jobs_orphan(struct jobs *jobs);
/* The shell of a batch has died: 1 if the batch goes on until its jobs have ended, and tells and
   asks nobody any more; 0 if nobody wants to know of them. */
int jobs_outlive(struct jobs *jobs);
/* The directory was removed, and the shell cannot be heard any more: starts no job, and tells the
   shell of the end when all have ended. */
void jobs_astray(struct jobs *jobs);
/* Does all that is due: leases for jobs, late jobs, output, the deadline. */
void jobs_serve(struct jobs *jobs);
/* How long until jobs_serve() has something to do, or -1. */
long long jobs_wait_ms(const struct jobs *jobs);

/* starts.c: chooses the next job and its lease, and tells the shell, which starts it. */

/* Gives leases to jobs, as many as may start now. */
void starts_serve(struct jobs *jobs);
/* The shell will not open some leases: those for its next jobs, or any more, or all that it has not
   heard of. Those not open are free again. */
enum recall { RECALL_NEXT, RECALL_ALL, RECALL_UNHEARD };
void starts_recall(struct jobs *jobs, enum recall which);
/* Whether the shell has opened the lease: it is open, or was. */
int starts_used(struct jobs *jobs, struct lease *lease);
/* How many leases are open, or were and have not come home. */
size_t starts_open(struct jobs *jobs);
/* How long until the time of a resting lease comes, or -1. */
long long starts_wait_ms(const struct jobs *jobs);

/* ends.c: how jobs ended: their last words say so, or else their shell is asked. */

/* The job of that lease has ended: enters it into the books, or asks the shell how it ended. */
void ends_take(struct jobs *jobs, struct lease *lease);
/* A job that waited for another try gets none: it has failed. */
void ends_give_up(struct jobs *jobs, struct job *job);
/* 1 while the shell is asked how a job ended. */
int ends_asked(const struct jobs *jobs);
/* Asks again the questions that a copy of the shell could not answer. */
void ends_ask_again(struct jobs *jobs);
/* The answer: tokend(5). text: the command, or empty or NULL. */
void ends_know(struct jobs *jobs, long id, long status, const char *text);
/* Nobody can answer any more: unknown ends stay unknown. */
void ends_nobody_knows(struct jobs *jobs);
/* Frees the jobs whose ends were not answered. */
void ends_close(struct jobs *jobs);

/* ends.c: in a plain batch no job needs more than a lease, so none has a last word. The shell
   waits for each, and tells of those that fail; a lease that is closed means success so far. */

/* 1 if this batch is one, by its options so far. */
int plain_batch(const struct jobs *jobs);
/* The job has failed after all. text: the command, or NULL. */
void plain_failed(struct jobs *jobs, long id, long status, const char *text);
/* The shell has waited for all jobs that have ended. */
void plain_waited(struct jobs *jobs);
/* How many jobs have ended of which nobody knows how. */
long plain_unknown(const struct jobs *jobs);
/* The job will have a last word: else the shell is asked. */
void plain_speaks(struct jobs *jobs, long id);

/* again.c: a failed job whose shell can repeat it: before its last word the shell makes the FIFO
   ID.again, and then waits there for its next lease, as long as the name is there. */

/* 1 if the job that has just failed has made its FIFO. */
int again_can(const struct jobs *jobs, const struct job *job);
/* Tells the shell that this is its lease, now or as soon as it waits for that. */
void again_give(const struct jobs *jobs, struct lease *lease);
/* The job is over: its shell may end, and the script may forget it. Frees what it has. */
void again_end(struct jobs *jobs, struct job *job);
/* Sees whether shells have opened the leases that they were told, or have died; and drops the
   leases whose names the script may forget. */
void again_serve(struct jobs *jobs);
/* That process is the shell of that job. */
void again_told(struct jobs *jobs, long id, pid_t shell);
/* No shell that waits here gets a lease. */
void again_never(struct jobs *jobs);

/* kills.c: which jobs are ended, by the pids that their shell tells. */

/* The pid of that job, or, with a name, of the one that has that lease. */
void kills_know(struct jobs *jobs, long id, const char *name, long pid);
/* Ends the jobs that are late, or all. */
void kills_begin(struct jobs *jobs, int all);
/* Some jobs were ended, as far as possible. */
void kills_done(struct jobs *jobs);
/* Waits no longer for processes that left the family of such a job, and have its lease. */
void kills_give_up(struct jobs *jobs);

/* shell.c: the talk with the shell of a batch, from its first job to "all". */

/* Reads the lines of the shell, and obeys. */
void shell_hear(struct jobs *jobs);
/* Gives the answer the shell waits for: "stop", or "all". */
void shell_serve(struct jobs *jobs);
/* Frees all jobs. */
void shell_close(struct jobs *jobs);
/* Tells the shell, with the reason, even if it has asked for a lease. */
void stops_say(struct jobs *jobs, const char *reason);
/* Starts no more from now on; the batch has that result, and the first one counts. */
void stops_now(struct jobs *jobs, int result, const char *reason);
/* The same, for want of memory. */
void stops_no_memory(struct jobs *jobs);
#endif
