#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jobat.h"

enum {
	BITE = 65536,
	ENOUGH = 256 * 1024, /* bytes that wait for the client: no more are read */
	AGAIN = 1000         /* ms until we look again whether we are wanted */
};

enum { LISTENER, CLIENT, ALIVE, SESSION, FDS = SESSION + SESSION_FDS };

struct server {
	struct server_terms *terms;
	struct session session;
	struct outbox in, out; /* of the client */
	struct outbox exports, words; /* its job, once it is whole */
	struct outbox directory; /* of its job, where it is another one than the first had */
	int moved;             /* the session, if any, was opened in another one */
	int has_job;           /* not yet started */
	int opening;           /* a session for it */
	int started;           /* in this session */
	int leaving;           /* nobody wants us any more */
};

static void
pass_on_output(void *context, int stream, const char *bytes, size_t length)
{
	struct server *v = context;

	if (v->terms->client >= 0)
		talk_add(&v->out, stream == 0 ? TALK_OUTPUT : TALK_ERROR, bytes, length);
}

/* The client is served, or has gone. */
static void
drop_client(struct server *v)
{
	if (v->session.job == JOB_SENT)
		session_close(&v->session);
	descriptors_close(&v->terms->client);
	outbox_drop(&v->in);
	outbox_drop(&v->out);
	outbox_drop(&v->exports);
	outbox_drop(&v->words);
	v->has_job = v->started = v->opening = 0;
	v->leaving |= v->terms->listener < 0;
}

static void
answer_client(struct server *v, enum talk kind, const char *text)
{
	talk_add(&v->out, kind, text, strlen(text));
	v->has_job = v->started = v->opening = 0;
}

/* Tells the end of the job, or of the session that it is to have. */
static void
follow_session(struct server *v)
{
	struct session *s = &v->session;
	char status[16];

	v->opening &= s->state <= SESSION_OPENING || s->state == SESSION_GONE;
	if (v->started && s->job == JOB_ENDED) {
		snprintf(status, sizeof status, "%d", s->status);
		answer_client(v, TALK_STATUS, status);
		s->job = JOB_NONE;
	} else if (v->started && s->job == JOB_REFUSED) {
		v->started = 0; /* a new session has nothing of an earlier job */
		session_close(s);
	} else if (v->started && s->state == SESSION_GONE) {
		answer_client(v, TALK_LOST, "the connection was lost");
	} else if (v->has_job && v->opening && s->state == SESSION_GONE) {
		answer_client(v, TALK_NEVER, s->saved[0] != '\0' ? s->saved : "it ended at once");
	}
}

static void
start_job(struct server *v)
{
	struct session *s = &v->session;
	int error;

	if (!v->has_job || v->started)
		return;
	if (v->moved && s->state != SESSION_GONE) {
		session_close(s);
		return;
	}
	v->moved = 0;
	if (s->state == SESSION_GONE) {
		error = session_open(s, &v->terms->session);
		v->opening = error == 0;
		if (error != 0)
			answer_client(v, TALK_NEVER, strerror(error));
	}
	if (s->state == SESSION_READY && !s->waits) {
		session_start(s, outbox_bytes(&v->exports), outbox_bytes(&v->words));
		v->started = 1;
	}
}

/* With its NUL. */
static const char *
keep_text(struct outbox *text, const char *bytes, size_t length)
{
	outbox_drop(text);
	if (outbox_add(text, bytes, length + 1) != 0)
		fail(STATUS_TROUBLE, "no memory:");
	return outbox_bytes(text);
}

/* 0, or -1 for what is no client of ours. */
static int
take_frames(struct server *v)
{
	struct session_terms *session = &v->terms->session;
	const char *bytes;
	size_t length;
	int kind;

	while ((kind = talk_next(&v->in, &bytes, &length)) > 0) {
		if (kind == TALK_DIRECTORY && strcmp(bytes, session->directory) != 0) {
			session->directory = keep_text(&v->directory, bytes, length);
			v->moved = 1;
		}
		if (kind == TALK_EXPORTS)
			keep_text(&v->exports, bytes, length);
		if (kind == TALK_JOB)
			keep_text(&v->words, bytes, length);
		v->has_job |= kind == TALK_JOB;
		if (kind == TALK_END && !v->started && v->has_job)
			answer_client(v, TALK_NEVER, "it was ended");
		else if (kind == TALK_END)
			session_close(&v->session);
	}
	return kind;
}

static void
serve_client(struct server *v, short events)
{
	ssize_t n;

	if (events & (POLLIN | POLLHUP | POLLERR)) {
		n = outbox_read(&v->in, v->terms->client, BITE);
		if (n == 0 || (n < 0 && errno != EAGAIN) || take_frames(v) < 0) {
			drop_client(v);
			return;
		}
	}
	if (outbox_write(&v->out, v->terms->client, OUTBOX_ALL) != 0)
		drop_client(v);
}

static void
wait_for_news(struct server *v, struct pollfd fds[FDS])
{
	struct server_terms *t = v->terms;
	long long wait = session_wait_ms(&v->session);
	int idle = t->client < 0 && !v->leaving &&
	    (v->session.state == SESSION_GONE || v->session.state == SESSION_READY);

	fds[LISTENER] = (struct pollfd){.fd = idle ? t->listener : -1, .events = POLLIN};
	fds[CLIENT] = (struct pollfd){.fd = t->client,
	    .events = (short)(outbox_waits(&v->out) > 0 ? POLLIN | POLLOUT : POLLIN)};
	fds[ALIVE] = (struct pollfd){.fd = t->alive, .events = POLLIN};
	session_pause(&v->session, t->client >= 0 && outbox_waits(&v->out) > ENOUGH);
	session_poll(&v->session, fds + SESSION);
	if (t->alive >= 0)
		wait = clock_sooner(wait, AGAIN);
	if (poll(fds, FDS, (int)wait) < 0)
		for (int i = 0; i < FDS; i++)
			fds[i].revents = 0;
}

/* An end of the client's before it has its answer ends the job. */
static void
serve_turn(struct server *v)
{
	struct pollfd fds[FDS];

	wait_for_news(v, fds);
	if (fds[CLIENT].revents != 0)
		serve_client(v, fds[CLIENT].revents);
	if (fds[LISTENER].revents != 0)
		v->terms->client = local_accept(v->terms->listener);
	if (v->session.state != SESSION_GONE)
		session_serve(&v->session, fds + SESSION);
	follow_session(v);
	start_job(v);
	if (!v->leaving && v->terms->alive >= 0 && den_over(v->terms->alive)) {
		v->leaving = 1;
		descriptors_close(&v->terms->alive);
		drop_client(v);
	}
	if (v->leaving)
		session_close(&v->session);
}

void
server_run(struct server_terms *terms)
{
	static struct server v = {.session = {.state = SESSION_GONE}};

	v.terms = terms;
	terms->session.data = pass_on_output;
	terms->session.context = &v;
	while (!v.leaving || v.session.state != SESSION_GONE || terms->client >= 0)
		serve_turn(&v);
	if (terms->path != NULL)
		unlink(terms->path);
}
