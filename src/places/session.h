/*
 * A sh at a place, which runs one job after the other: far.sh says what happens there. The
 * transport is a program that runs it, with three pipes of ours.
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
#include <poll.h>

#include "../lib/child.h"
#include "wire.h"

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
	long long opened;      /* clock.h, as all of these; beats count from here */
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
