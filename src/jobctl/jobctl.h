/* jobctl: a list of jobs at a terminal. */
#ifndef JOBCTL_H
#define JOBCTL_H
#include <stddef.h>
#include <time.h>

#include "../book/book.h"
#include "../lease/lease.h"
#include "../lib/lib.h"
#include "../places/places.h"

/*
 * recipe.c: the command that is run for the arguments of a job, as it is run and as it is shown:
 * words with places (place.c), which are filled. A word with a place for each argument is there
 * once for each; without any place for an argument, all are appended, or none. Nothing of an
 * argument is parsed by a shell, unless it is itself the command: to a shell it goes as a parameter
 * (script.c).
 */

/* place.c: places in the words of a command, as in jobctl(1): {} {.} {/} {//} {/.} for each
   argument; with a number, such as {2} {-1} {2/.}, for that one; {#} and {%}. All else in braces is
   text. */

/* The arguments of a job. */
struct arguments {
	const char *text; /* one after the other, a NUL after each */
	size_t length;    /* of all that */
	long count;
};

enum place_part {
	PLACE_WHOLE, PLACE_STEM, PLACE_BASE, PLACE_DIRECTORY, PLACE_BASE_STEM, PLACE_ID, PLACE_SLOT
};

struct place {
	enum place_part part;
	long number;      /* of the argument; 0: each of them, or this is no place for one */
	size_t length;    /* of what is written in this place */
};

enum { PLACE_ROOM = 24 /* of a number, as text */ };

/* The place that begins at text; replace: what is written for {}, which then is text; or NULL.
   1, or 0 when none begins there. */
int place_at(const char *text, const char *replace, struct place *place);
/* The first place in text: how many bytes precede it; or all of them, and place->length is 0. */
size_t place_find(const char *text, const char *replace, struct place *place);
/* 1 when it is for each argument; 0 for a number of any kind. */
int place_is_each(const struct place *place);
/* The value of a place, where each is the current argument: *from, and its length. */
size_t place_value(const struct place *place, const struct arguments *given, const char *each,
    const char **from);

/*
 * A script for a shell, with a parameter in each place, quoted as its surroundings need: nothing of
 * an argument is ever parsed. $1 is the argument. Where there may be several, $@ is all of them,
 * and so is {}; what stands in other places goes before them, and is shifted away into variables.
 */
struct script {
	char *text;               /* NULL: there is none */
	int several, appended;    /* arguments; no argument has a place: they come behind it */
	struct place *parameters; /* that precede the arguments, or that there are at all */
	size_t count, room;
};

/* Makes it of what somebody wrote; replace: place.h; appends: an argument without a place is
   appended. 0; or -1 with errno EINVAL for a place that there is not for several arguments, such as
   {.}; or ENOEXEC where it has no place, and an argument at its end would be a command or a
   comment. */
int script_open(struct script *script, const char *text, const char *replace, int several,
    int appends);
/* Copies a script; fill() adds the values of its places, within that quote, or 0. flat: on one
   line, as far as that can be. -1 as fill() says, 1 when a comment ends it, or 0. */
int script_copy(struct outbox *out, const char *text, const char *replace, int flat,
    int (*fill)(void *context, struct outbox *out, const struct place *place, char quote),
    void *context);

/* The room that words need. */
struct recipe_need {
	size_t words, bytes;
	size_t each;         /* places for each argument ... */
	size_t numbered;     /* ... and for a certain one */
};

struct recipe {
	const char *replace; /* what is written for {}, or NULL */
	int several;         /* a job may have several arguments ... */
	int alone;           /* ... or none, without a place for one; the caller sets these three */
	char **words;        /* NULL: each argument is a command */
	struct script script; /* with -c */
	int appended;
	struct recipe_need once, each; /* of words that are there once, or for each argument */
};

/* Takes the words; none: each argument is for a shell; script: the one word is. 0, or
   -1 as script_open(). */
int recipe_open(struct recipe *recipe, char **words, int script);
/* The program of all jobs; NULL: each has its own. */
const char *recipe_program(const struct recipe *recipe);
/* A text with its places filled, several arguments with blanks between them; NULL: the arguments.
   For free(3), as all of these, which exit without memory. */
char *recipe_fill(const struct recipe *recipe, const char *text, const struct arguments *given,
    long id, long slot);
/* 0 for a line that is no command: blank, or a comment. */
int recipe_is_job(const struct recipe *recipe, const char *line);
/* How many bytes that is at most, with the NULs, and this many for each word: to exec(2) the
   pointer, too. longest: of the arguments, with its NUL. */
size_t recipe_size(const struct recipe *recipe, const struct arguments *given, size_t longest,
    size_t word);
/* The list of arguments, in one block. */
char **recipe_argv(const struct recipe *recipe, const struct arguments *given, long id, long slot);
/* The list of arguments as one would type it; {%} stays with slot 0. */
char *recipe_text(const struct recipe *recipe, const struct arguments *given, long id, long slot);

/*
 * source.c: where the arguments of jobs come from: one or more lists, each a file, standard input
 * or words after :::. Of several lists all combinations are made, the last one varying fastest. The
 * first is read as it arrives; the others are held in memory. One line of each makes a record.
 */

/* Of a list. */
struct origin {
	const char *path;   /* "-": standard input; NULL: words */
	char **words;
	long count;
};

/* The lines that are records, and their columns. */
struct source_terms {
	const struct origin *origins;
	size_t count;       /* 1 at least */
	char separator;     /* of lines */
	int skip_blank;
	const char *end;    /* a line that ends its list, or NULL */
	const char *columns; /* the regular expression between columns, each an argument; or NULL */
};

struct source_item {
	char *text;
	size_t length;
};

struct source_list {
	struct source_item *items;
	char *bytes;        /* of a file; those of words are not ours */
	long count, at;
	size_t room;
};

struct record {
	size_t length;      /* of its arguments, with their NULs */
	long count;
	int bad;            /* there is a NUL in one of them */
};

struct source {
	const struct source_terms *terms;
	struct feed feed;   /* the first list, where that is a file; or not open, fd -1 */
	struct source_item line; /* of the feed; a copy where there are more lists */
	size_t room;
	struct source_list *lists;
	size_t count;
	int begun;          /* not all combinations with the line of the first list were made */
	void *columns;      /* a regex_t, or NULL */
};

/* The separator that somebody writes as one byte, \n, \t, \0 or \\: 0, or -1. */
int source_separator(const char *text, char *separator);
/* Reads all lists but the first. Exits after a message when that fails. The terms must stay.
   Nothing is freed. */
void source_open(struct source *source, const struct source_terms *terms);
/* Adds the arguments of the next record to the box: 1; 0: fill the feed first; -1 at the end. */
int source_next(struct source *source, struct outbox *box, struct record *record);
/* How many records come, at most; -1 where that is not known. */
long source_total(const struct source *source);

/* group.c: how many records make a job: a number of them, or as many as fit into a command. */
enum { GROUP_ALL = 131072 /* bytes of a command that is to have as many as fit */ };

struct group {
	struct source *source;
	const struct recipe *recipe;
	size_t most;           /* records of a job */
	size_t asked;          /* -s: most bytes of its command, or 0 */
	size_t bytes;          /* most bytes of its command: asked, or GROUP_ALL, or 0 for any */
	size_t room;           /* most bytes with pointers, as exec(2) takes them; 0: for any */
	size_t jobs;           /* over these the last records are spread, once; 0: they are not */
	int ended;             /* the source has */
	struct outbox held;    /* arguments of records that are in no job */
	struct record *records;
	size_t first, last, space; /* of these */
	long count;            /* of their arguments */
	size_t longest;        /* bytes of the longest record that is held */
};

/* source is open, recipe, too; most records of a job; asked: bytes, or 0. fit: as many as fit, and
   what is left at the end of the input is spread over that many jobs; 0: it is not; or -1. */
void group_open(struct group *group, struct source *source, const struct recipe *recipe, long most,
    long asked, long fit);
/* The arguments of the next job, until the next call: 1; 0: fill the source's feed first; -1 at the
   end. *why is NULL, or why they cannot be a job. */
int group_next(struct group *group, struct arguments *given, const char **why);
/* How many jobs there will be at most; -1 where that is not known. */
long group_total(const struct group *group);

/* batch.c: a batch of jobs: what is asked for, what is known of it, and what all who work on it
   do. */

enum { WIDTH_MOST = 100000 /* jobs at once */ };

struct plan {
	const char *called; /* our own command, as one would type it */
	char **words;      /* the command of a job, NULL at its end, or none: recipe.c */
	int script;        /* -c */
	int literal;       /* -q: no word is refused or noted */
	struct recipe recipe; /* what its caller sets */
	struct source_terms input; /* its origins: -a, then ::: */
	struct origin *origins;
	long most;         /* records of a job; 0: it was not said */
	int interactive;   /* a terminal is one of the lists */
	int fit;           /* as many as fit into a command */
	long bytes;        /* of a command at most, or 0 */
	int verbose;       /* -t */
	long jobs;         /* at once */
	int borrowing;     /* their tokens are make's: jobserver.c, which is open */
	char **labels;     /* of as many slots, or NULL */
	long labelled;
	struct sites sites; /* -S; none: all jobs run here */
	int slurm;         /* they are those of an allocation */
	struct terms terms;
	long long grace;   /* ms between TERM and KILL */
};

struct job {
	struct job *next;
	long id;
	int tries;
	struct end end;  /* of the last try that has ended */
	long long due;   /* not to be started before (clock.c) */
	struct output output;
	struct arguments given; /* here: */
	char text[];
};

/* What we know of a slot, and of the job in it, which is a process group. */
struct seat {
	long number;
	struct child child; /* pid 0: the seat is free */
	struct job *job;    /* the caller's, with what it holds */
	struct timespec start;
	long long began;    /* clock.c, as the next */
	long long limit;    /* when it is to be ended, or 0 */
	struct turn turn;
	int ended;          /* by us ... */
	int late;           /* ... for its limit */
	char why;           /* it wanted the terminal: a letter of verdict.c */
};

struct crew {
	struct seat *seats;
	long count, running, lingering;
	long begun;         /* jobs that were started, each try */
	long room;          /* how many seats there are: more than count once that was lowered */
	char **labels;
	char **environment;
	size_t own;         /* where our variables begin in it */
	long long limit, grace; /* ms; the caller's to set, as is the pace */
	struct pace pace;
	const struct sites *sites; /* where the seats are */
	sigset_t mask;
	int null;
};

enum stopping { NOT, SOON, NOW };

struct batch {
	const struct plan *plan;
	struct source source;
	struct group group;
	struct recipe recipe;
	struct sites sites;
	struct crew crew;
	struct outputs outputs;
	struct joblog log;
	struct progress progress;
	struct job *later;      /* to be tried again, in order of their time */
	struct job *ready;      /* waits for a limit, or for a token of make's; or NULL */
	struct limits limits;
	int held;               /* it is a limit */
	long id;                /* of the last job taken from the input */
	long before;            /* numbers that the first job has not, for their files are there */
	long succeeded, failed, stopped, skipped, unstarted;
	int filter;             /* we are to die of SIGPIPE, when nobody reads our output */
	int put_off;            /* no job was started last time, for it was too soon */
	long long deadline;     /* of the batch, or 0 */
	int more;               /* the input has not ended */
	enum stopping stopping;
	int answered;           /* interrupts that we have acted on */
	int refused;            /* the system would not start a job, and we said so */
	int status;             /* the exit status when it is not the count of failures */
	int unshown;            /* some output could not be shown: it is told */
};

/* Keeps a job, which is taken over, until that time (clock.c). */
void batch_put_later(struct batch *batch, struct job *job, long long due);
/* No more jobs are started; NOW: those that run are ended. */
void batch_stop(struct batch *batch, enum stopping how);
/* The same, for the batch itself has failed: it ends with that status. */
void batch_give_up(struct batch *batch, int status);
/* The tag of that job's lines, for free(3), or NULL. */
char *batch_tag(const struct batch *batch, const struct job *job, long slot);
/* Shows the output whose turn has come. */
void batch_flush(struct batch *batch);
/* Output cannot be kept or shown, for the reason in errno: the batch ends. */
void batch_fail_output(struct batch *batch);
/* A job is over, or was refused. */
void batch_count(struct batch *batch, int failed);

/* crew.c: the jobs that run. */

/* Makes the seats, as many labels or NULL, and the signal mask of jobs. Exits if it cannot; and at
   each exit all jobs that run are ended, once. */
void crew_open(struct crew *crew, long count, char **labels, const sigset_t *mask);
/* From now on so many; those that run above that go on. */
void crew_resize(struct crew *crew, long count);
/* How long until a job may be started; -1 while no seat is free. */
long long crew_free_ms(const struct crew *crew);
/* A free seat where one may; only when crew_free_ms() has just been 0. */
struct seat *crew_seat(struct crew *crew);
/* Runs argv there, with JOBCTL_ID, _SLOT, _LABEL, _TRY and no input. 0, or an error number. */
int crew_start(struct crew *crew, struct seat *seat, struct job *job, char **argv);
/* A seat whose job has ended, free again; or NULL. Kills a job that wants the terminal. */
struct seat *crew_reap(struct crew *crew);
/* Ends a job and what it started: TERM, and KILL after the grace. */
void crew_end(struct crew *crew, struct seat *seat);
/* Does what is due; how long until something will be, or -1. */
long long crew_wait_ms(struct crew *crew);
/* Sends a signal to all. */
void crew_signal(struct crew *crew, int sig);

/* begin.c: starts all jobs that may be started now. */
void begin_jobs(struct batch *batch);

/* The end of a job: its output, a message, a line of the log, another try. */

/* The job of that seat has ended. */
void outcome_take(struct batch *batch, struct seat *seat);
/* It is not run at all, and counts as failed, with the status that a shell has for that. */
void outcome_refuse(struct batch *batch, struct job *job, int status, const char *why);
/* The batch is over: what still waits to be tried again has failed, as its last try did. */
void outcome_drop_later(struct batch *batch);

/* loop.c: runs it all: the exit status of jobctl(1). Dies by the signal that ended the batch. */
int loop_run(const struct plan *plan);

/* slurm.c: adds the nodes of the Slurm allocation that we run in, each with the slots that its
   processors make, or at most that many, unless that is 0; and has JOBCTL_RSH, where it is not
   set, begin steps of the allocation. Exits after a message without one that can be read. */
void slurm_places(struct sites *sites, long most);

/* operand.c: the meaning of the words of the command: a program, a list of commands, a script;
   and arguments behind :::. */

/* Ends the words where the first list of arguments begins, ::: or ::::, and adds all lists to these
   origins; there is room for one more for each word. Exits after a message for a list of files
   without one. */
void operand_lists(char **words, struct origin *origins, size_t *count);
/* 1 when the only word is a list; 0 when the first is a program. Exits after a message where it is
   neither, or might be both. elsewhere: jobs run at places, which may have more programs. */
int operand_is_list(char **words, int elsewhere);
/* Exits after a message, or warns, if somebody took us for a shell or GNU parallel. literal: words
   such as '|' are text. */
void operand_check(char **words, int script, int literal, int quiet);
/* Why that program cannot be run: there is none. */
const char *operand_missing(const char *word);
/* Exits after a message if there are files among the words, and no list. */
void operand_no_list(char **words);
#endif
