/* Other machines: the sh there, and all that ends with it. */
#ifndef PLACES_H
#define PLACES_H
#include <sys/types.h>

#include <limits.h>
#include <poll.h>
#include <stddef.h>

#include "../lib/lib.h"

/* beat.c: how often a place hears of us, and what follows from that. */

enum { BEAT_MS = 2000 /* unless another one is wished for */ };
enum { BEAT_MISSED = 3 }; /* so many may be missed, here and there */

/* How a sh is told a number of seconds. */
#define BEAT_FORMAT "%.7g"

/* The argument in ms. Exits after a message for what is none. */
long beat_option(const struct options *option);
/* How many ms after the last beat a job there has ended for certain. */
long long beat_patience(long beat_ms, long long grace_ms);
/* How many ms a token of another machine (tools/abroad.c) stays out after the last beat. */
long long beat_held(long beat_ms);

/*
 * den.c: a directory for the slots of places: N is the socket of the one who keeps the session of
 * slot N, and N.fate what its last job has come to where a status cannot say it; P.M is a
 * connection of ssh, with P.M.lock and P.M.log; logins has locks. The owner of the slots has the
 * FIFO alive open, and the keeper of a session the FIFO here: so each sees the other's end.
 */

enum { DEN_PATH = 80 /* of the directory: a socket in it has a path of at most 103 bytes */ };

struct den {
	char path[DEN_PATH];
	int alive[2], here; /* our ends, or -1 */
};

/* Makes it, in $TMPDIR or /tmp. 0, or -1 with errno. */
int den_make(struct den *den);
/* Says that all is over, waits at most ms until the sessions have ended, and removes it. */
void den_end(struct den *den, long long ms);
/* Keeps a session there: the caller closes both at its end. 0, or -1 where nobody has the slots. */
int den_enter(const char *path, int *alive, int *here);
/* 1 when whoever has the slots has gone. */
int den_over(int alive);
/* Removes what is left by one that was killed, when no session is there any more. */
void den_sweep(const char *path);

/*
 * wire.c: one output of a place, in which words of the sh there stand between what jobs write: from
 * a token that nobody can guess to the end of the line. Zeroed but for the token, it is empty.
 */

enum { WIRE_WORD = 80 /* bytes of the longest word, without its token */ };

struct wire {
	const char *token;
	struct outbox held; /* what was read and not given */
};

/* The next piece: a word, *text, ended by '\0': 1; bytes of jobs: 0; nothing: -1, read first. Both
   until the next call. At the end what was taken for the beginning of a word is none. */
int wire_next(struct wire *wire, int at_end, const char **text, size_t *length);

/*
 * session.c: a sh at a place, which runs one job after the other: far.sh says what happens there.
 * The transport is a program that runs it, with three pipes of ours.
 *
 * Beats go to the place, numbered by our clock. The job there is ended when three do not come, or
 * come more than one beat late: so at the latest five beats after we wrote the last one, and a
 * grace. One beat at a time waits for its answer. Where none has come three beats after we
 * wrote the last one that was answered, the place is lost to us; but the job has ended for certain
 * only when that other time has passed, and that is when the session has.
 *
 * A cluster that takes a place away signals all processes there, and in any order. So a
 * job that a signal may have ended is in doubt: its status counts once the sh there has answered a
 * beat written later. Else the job is lost, as are all whose sh there is ended.
 */

enum { SESSION_FDS = 3 };

/* The states of a session, and of a job. */
enum session_state { SESSION_OPENING, SESSION_READY, SESSION_BUSY, SESSION_CLOSING, SESSION_GONE };
enum session_job {
	JOB_NONE,    /* or not begun, and never will be */
	JOB_SENT,    /* it may have begun; when the session is gone it is lost */
	JOB_REFUSED, /* it has not: what the one before left is still there */
	JOB_ENDED    /* with the status */
};

struct session_terms {
	char **transport;      /* argv, to its end */
	const char *directory; /* to change to there, or NULL */
	long beat_ms, grace_ms;
	/* Bytes of a job, of standard output (0) or error (1). */
	void (*data)(void *context, int stream, const char *bytes, size_t length);
	void *context;
};

struct session {
	const struct session_terms *terms;
	enum session_state state;
	enum session_job job;
	int status;            /* of one that has ended */
	int ordered;           /* session_close() has ended it */
	long long doubt;       /* its status counts when a beat from then on is answered; or 0 */
	int heard;             /* a bit for each output where what is said on both was heard */
	long number;           /* of the last job */
	struct child transport;
	int in, out[2];        /* our ends, or -1 */
	struct outbox to;
	struct wire from[2];
	char token[24], saved[160]; /* saved: the last line before it was ready, why it was not */
	int line_ended;             /* ... has come to its end */
	long long opened;      /* clock.c, as all of these; beats count from here */
	long long wrote;       /* the last beat */
	long long answered;    /* when that was written which was answered last */
	long long due;         /* the next beat, or when to give up waiting */
	int waits;             /* one has no answer yet */
	int paused;            /* the owner wants no more bytes */
	int gone_there;        /* the place says that all is over */
};

/* Starts the transport. 0, or an error number: there is no session. */
int session_open(struct session *s, const struct session_terms *terms);
/* Starts a job, which is shell text: exports, and J's words. Only when SESSION_READY. */
void session_start(struct session *s, const char *exports, const char *words);
/* Ends the job, if there is one, and the session. */
void session_close(struct session *s);
/* The descriptors to wait for. */
void session_poll(const struct session *s, struct pollfd fds[SESSION_FDS]);
/* Does what has happened, and what is due. Exits without memory: the job ends, too. */
void session_serve(struct session *s, const struct pollfd fds[SESSION_FDS]);
/* How long until something is due; -1: nothing is. */
long long session_wait_ms(const struct session *s);
/* From now on no more bytes, or bytes again. */
void session_pause(struct session *s, int paused);

/* shell.c: text for any shell to read: nothing that not all of them know, for we do not know
   which it is. */

/* Adds the word in single quotes. */
void shell_word(struct outbox *out, const char *word);
/* 1 for the name of a variable. */
int shell_is_name(const char *text);
/* Adds "export NAME='VALUE'" and a newline. */
void shell_export(struct outbox *out, const char *name, const char *value);

/*
 * sites.c: places where jobs run, jobat(1), and how they fare: one that cannot be reached rests,
 * for $JOBCTL_REST at first, then twice as long each time, and is dropped when it has failed six
 * times in a row.
 */

struct site {
	char *name;        /* ":" is here */
	long slots;        /* 0: as many as it has processors */
	int failures;      /* in a row */
	int dropped;
	long long rests;   /* until then (clock.c) */
};

struct site_slot {
	size_t site;
	long number;       /* among those of its place, from 0 */
};

#define REST_NONE "no place is left"

struct sites {
	struct site *list;
	size_t count, room;
	struct site_slot *of_slot;
	char **labels;     /* of as many slots: their places */
	long slots;
	long beat_ms;      /* or 0 for that of jobat */
	int once;          /* a job that was lost is not begun again */
	const char *directory; /* where jobs run there, or NULL */
	char **variables;  /* which they have too, "--env" before each; or NULL */
	size_t variable_count;
	struct den den;
	long long patience; /* sites_patience_ms() */
};

enum site_end {
	SITE_OWN,          /* the status is that of the job */
	SITE_NEVER,        /* it was not begun */
	SITE_LOST          /* nobody knows how it ended */
};

/* The options of all programs that have places. Their codes are above those of others. */
enum {
	SITES_FILE = 1024, SITES_WORKDIR, SITES_VARIABLE, SITES_BEAT, SITES_ONCE
};
#define SITES_OPTIONS \
	{'S', "sshlogin", "PLACES", "run jobs there: 8/host1,2/: (: is here)"}, \
	{SITES_FILE, "sshloginfile", "FILE", "... at those of a file, one on each line"}, \
	{SITES_FILE, "slf", "FILE", NULL}, \
	{SITES_WORKDIR, "workdir", "DIR", "where jobs run there (default: as here)"}, \
	{SITES_WORKDIR, "wd", "DIR", NULL}, \
	{SITES_VARIABLE, "env", "NAME", "pass this variable to the jobs there"}, \
	{SITES_BEAT, "beat", "SECONDS", "after three of these without a word a host is lost (2)"}, \
	{SITES_ONCE, "once", NULL, "never run a job again that was lost"}

/* Takes that option, whose argument must stay: 1, or 0 when it is none of these. Exits after a
   message for a wrong argument, such as standard input without a place. */
int sites_take(struct sites *sites, const struct options *options, int code);
/* Exits after a message where there are such options, but no place. */
void sites_check(const struct sites *sites);
/* Adds "8/host1,host2": 0, or -1 with errno, EINVAL. */
int sites_add(struct sites *sites, const char *list);
/* 1 when jobs run at places. */
int sites_there(const struct sites *sites);
/* Counts the slots, each where it was not said, or with 0 by asking the place; and deals them. 0,
   or -1 after messages when there are none. */
int sites_count(struct sites *sites, long each);
/* ms in which jobat ends for certain, once it is to. */
long long sites_patience_ms(const struct sites *sites, long long grace);
/* Makes what they need. 0, or -1 with errno. */
int sites_open(struct sites *sites, long long grace);
/* To the end of all sessions, or as long as that may take. */
void sites_close(struct sites *sites);
/* How long the place of that slot is to rest; -1: it was dropped. */
long long sites_wait_ms(const struct sites *sites, long slot);
/* 1 when jobs of that slot do not run here. */
int sites_far(const struct sites *sites, long slot);
/* The command that runs argv there, for free(3), good until the next call; or NULL with errno. */
char **sites_argv(const struct sites *sites, long slot, char **argv);
/* How the job of that slot has ended, and, in why, the reason. Says what is new of its place. */
enum site_end sites_outcome(struct sites *sites, long slot, int status, char *why, size_t size,
    int quiet);
/* The same, for a job of which the end is known, and why. */
void sites_ended(struct sites *sites, long slot, enum site_end end, const char *why, int quiet);
/* 1 while there is one that was not dropped. */
int sites_left(const struct sites *sites);

/* transport.c: the program that runs sh at a place: ssh, or the words of $JOBCTL_RSH. */

/* Its words, then the place and sh, with before free pointers in front of them; for the whole
   process. NULL with errno: EINVAL where there is no word. */
char **transport_words(const char *place, size_t before);
/* Starts it, as the leader of a process group, with pipes: *in to it, *out and *err from it; its
   standard error is ours if err is NULL. 0, or an error number: errno if words is NULL. */
int transport_start(char **words, pid_t *pid, int *in, int *out, int *err);
#endif
