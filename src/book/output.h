/*
 * The output of jobs. It is kept in files without a name in $TMPDIR, so nothing is left whatever
 * kills us.
 */
#include <signal.h>

struct joblog;
struct terms;

enum output_mode {
	OUTPUT_PLAIN, /* goes where ours goes, as it comes */
	OUTPUT_LINES, /* as it comes, by whole lines: lines.h */
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
