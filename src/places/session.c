#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "places.h"

enum {
	OPENING = 180000,  /* ms until a place is ready, which others may be before */
	LEAVING = 1000,    /* ms in which the transport ends when all is over there */
	DOUBT = 250,       /* ms in which a signal for all has come to all */
	BITE = 65536       /* bytes to read at once */
};

static const char *const far_text[] = {
#include "far-text.h"
};

static long long
beats(const struct session *s, long count)
{
	return (long long)s->terms->beat_ms * count;
}

/* Writes the beginning: variables, and far.sh. */
static void
write_beginning(struct session *s)
{
	const char *directory = s->terms->directory;

	outbox_say(&s->to, "_jT='%s' _jD=${TMPDIR:-/tmp}/jobat.%s _jB=" BEAT_FORMAT
	    " _jL=%d _jG=%ld\n", s->token, s->token + 1, (double)s->terms->beat_ms / 1000,
	    BEAT_MISSED, (s->terms->grace_ms + 99) / 100);
	if (directory != NULL) {
		outbox_say(&s->to, "cd ");
		shell_word(&s->to, directory);
		outbox_say(&s->to, " || { echo ");
		shell_word(&s->to, directory);
		outbox_say(&s->to, "' is no directory there; --workdir names another one' >&2\n"
		    "exit; }\n");
	}
	for (size_t i = 0; i < sizeof far_text / sizeof *far_text; i++)
		outbox_add(&s->to, far_text[i], strlen(far_text[i]));
	outbox_say(&s->to, "trap _jleave EXIT\n_jopen\n");
}

static void
close_pipes(struct session *s)
{
	descriptors_close(&s->in);
	descriptors_close(&s->out[0]);
	descriptors_close(&s->out[1]);
}

int
session_open(struct session *s, const struct session_terms *terms)
{
	unsigned long long secret;
	pid_t pid;
	int error;

	*s = (struct session){.terms = terms, .in = -1, .out = {-1, -1}};
	if (secret_make(&secret) != 0)
		return errno;
	snprintf(s->token, sizeof s->token, "\036%016llx ", secret);
	s->from[0].token = s->from[1].token = s->token;
	s->token[17] = '\0';
	write_beginning(s);
	error = transport_start(terms->transport, &pid, &s->in, &s->out[0], &s->out[1]);
	s->token[17] = ' ';
	s->opened = s->wrote = clock_now();
	s->due = s->opened + OPENING;
	if (error == 0) {
		s->transport = (struct child){.pid = pid};
	} else {
		close_pipes(s);
		outbox_drop(&s->to);
		s->state = SESSION_GONE;
	}
	return error;
}

/* All is over: nothing of it is left here. */
static void
finish(struct session *s)
{
	close_pipes(s);
	child_reap(&s->transport);
	outbox_drop(&s->to);
	outbox_drop(&s->from[0].held);
	outbox_drop(&s->from[1].held);
	if (s->job == JOB_SENT && s->ordered && s->gone_there) {
		s->job = JOB_ENDED; /* without a last word: it was killed */
		s->status = 128 + SIGKILL;
	}
	s->state = SESSION_GONE;
}

/* To when the job has ended there for certain. */
static void
leave(struct session *s)
{
	if (s->state == SESSION_OPENING) {
		finish(s);
		return;
	}
	s->state = SESSION_CLOSING;
	s->due = s->wrote + beat_patience(s->terms->beat_ms, s->terms->grace_ms);
}

/* Nobody answers. Bytes that were written may still come there, but no others will. */
static void
lose(struct session *s)
{
	outbox_drop(&s->to);
	descriptors_close(&s->in);
	leave(s);
}

static void
write_more(struct session *s)
{
	if (s->to.lost)
		fail(STATUS_TROUBLE, "no memory:");
	if (s->in < 0)
		return;
	if (outbox_write(&s->to, s->in, OUTBOX_ALL) != 0)
		outbox_drop(&s->to); /* its reader has gone: what it has said is still to be read */
	if (s->state == SESSION_CLOSING && outbox_waits(&s->to) == 0)
		descriptors_close(&s->in);
}

static void
believe(struct session *s)
{
	s->job = JOB_ENDED;
	s->doubt = 0;
	if (s->state == SESSION_BUSY)
		s->state = SESSION_READY;
}

void
session_close(struct session *s)
{
	if (s->state >= SESSION_CLOSING)
		return;
	s->ordered = 1;
	if (s->state == SESSION_OPENING) {
		/* The sh there may be about to make what it removes at the end of its input. */
		outbox_drop(&s->to);
		descriptors_close(&s->in);
		s->gone_there = 1;
		s->state = SESSION_CLOSING;
		s->due = clock_now() + LEAVING + beats(s, 1);
		return;
	}
	if (s->doubt > 0)
		believe(s);
	leave(s);
	write_more(s);
}

void
session_start(struct session *s, const char *exports, const char *words)
{
	s->number++;
	outbox_say(&s->to, "{ %sJ %ld %s; }\n", exports, s->number, words);
	s->job = JOB_SENT;
	s->state = SESSION_BUSY;
	s->heard = 0;
	s->doubt = 0;
}

/* The last line that says anything is why a place could not be used. */
static void
save(struct session *s, const char *bytes, size_t length)
{
	size_t used = strlen(s->saved);

	for (; length > 0; length--, bytes++) {
		unsigned char c = (unsigned char)*bytes;

		if (s->line_ended && c > ' ') {
			used = 0;
			s->line_ended = 0;
		}
		if (c == '\n')
			s->line_ended = 1;
		else if (c >= ' ' && !s->line_ended && used < sizeof s->saved - 1)
			s->saved[used++] = (char)c;
	}
	s->saved[used] = '\0';
}

static void
take_ready(struct session *s, int stream)
{
	if (s->state != SESSION_OPENING)
		return;
	if (s->heard & 1 << stream) {
		strcpy(s->saved, "the transport makes one of standard output and error; "
		    "it must have no terminal");
		descriptors_close(&s->in); /* the sh there removes what it has made, and ends */
		s->due = clock_now() + LEAVING;
		return;
	}
	s->heard |= 1 << stream;
	if (s->heard != 3)
		return;
	s->state = SESSION_READY;
	s->opened = s->wrote = s->answered = s->due = clock_now();
}

/* Said on both outputs, behind all that the job has written. Where both come by one connection of
   TCP, as srun(1) has it, the second may wait 40 ms for the news that the first has come: what we
   write brings that along. */
static void
take_end(struct session *s, int stream, const char *rest)
{
	char *status, *more;

	if (s->job != JOB_SENT || strtol(rest, &status, 10) != s->number)
		return;
	s->heard |= 1 << stream;
	s->status = (int)strtol(status, &more, 10) & 255;
	if (strcmp(more, " ended") == 0 && !s->ordered)
		return; /* not by itself */
	if (s->heard != 3) {
		outbox_say(&s->to, ":\n");
		return;
	}
	if (!s->ordered && (strcmp(more, " told") == 0 || s->status == 128 + SIGTERM ||
	    s->status == 128 + SIGKILL)) {
		s->doubt = clock_now() + DOUBT;
		if (s->due > s->doubt)
			s->due = s->doubt; /* the next beat is to come soon */
	} else {
		believe(s);
	}
}

static void
take_word(struct session *s, int stream, const char *word)
{
	switch (*word) {
	case 'h': take_ready(s, stream); break;
	case 'x': take_end(s, stream, word + 1); break;
	case 'b':
		s->waits = 0;
		s->answered = s->wrote;
		if (s->doubt > 0 && s->wrote >= s->doubt)
			believe(s);
		break;
	case 's':
		if (s->job == JOB_SENT && strtol(word + 1, NULL, 10) == s->number)
			s->job = JOB_REFUSED;
		break;
	case 'd':
		s->gone_there = 1;
		if (s->state < SESSION_CLOSING)
			leave(s);
		s->due = clock_now() + LEAVING;
		break;
	}
}

static void
hear(struct session *s, int stream)
{
	const char *text;
	size_t length;
	ssize_t n = outbox_read(&s->from[stream].held, s->out[stream], BITE);
	int kind, end = n == 0 || (n < 0 && errno != EAGAIN);

	while (s->state != SESSION_GONE &&
	    (kind = wire_next(&s->from[stream], end, &text, &length)) >= 0) {
		if (kind == 1)
			take_word(s, stream, text);
		else if (s->state == SESSION_OPENING && stream == 1)
			save(s, text, length);
		else if (s->job == JOB_SENT && !(s->heard & 1 << stream))
			s->terms->data(s->terms->context, stream, text, length);
	}
	if (!end || s->state == SESSION_GONE)
		return;
	descriptors_close(&s->out[stream]);
	if (s->out[0] >= 0 || s->out[1] >= 0)
		return;
	/* Nothing more will be heard. */
	if (s->state == SESSION_OPENING || s->gone_there)
		finish(s);
	else if (s->state != SESSION_CLOSING)
		lose(s);
}

/* While the owner is paused the place is not to answer: nobody would hear it. */
static void
beat(struct session *s)
{
	if (s->waits && clock_now() - s->answered >= beats(s, BEAT_MISSED)) {
		lose(s);
		return;
	}
	if (!s->waits) {
		s->wrote = clock_now();
		s->waits = !s->paused;
		if (s->paused)
			s->answered = s->wrote;
		outbox_say(&s->to, "%c %lld\n", s->paused ? 'q' : 'b',
		    (s->wrote - s->opened) / beats(s, 1));
	}
	s->due += beats(s, 1);
	if (s->due < clock_now())
		s->due = clock_now();
}

void
session_poll(const struct session *s, struct pollfd fds[SESSION_FDS])
{
	int deaf = s->paused && !s->waits && s->state == SESSION_BUSY;

	fds[0] = (struct pollfd){.fd = outbox_waits(&s->to) > 0 ? s->in : -1, .events = POLLOUT};
	for (int i = 0; i < 2; i++)
		fds[i + 1] = (struct pollfd){.fd = deaf ? -1 : s->out[i], .events = POLLIN};
}

void
session_serve(struct session *s, const struct pollfd fds[SESSION_FDS])
{
	for (int i = 0; i < 2; i++)
		if (fds[i + 1].revents != 0 && s->out[i] >= 0 && fds[i + 1].fd == s->out[i])
			hear(s, i);
	if (s->state != SESSION_GONE && clock_wait_ms(s->due) == 0) {
		if (s->state == SESSION_OPENING && s->saved[0] == '\0')
			snprintf(s->saved, sizeof s->saved, "no answer in %d s", OPENING / 1000);
		if (s->state == SESSION_READY || s->state == SESSION_BUSY)
			beat(s);
		else
			finish(s);
	}
	if (s->state != SESSION_GONE)
		write_more(s);
}

long long
session_wait_ms(const struct session *s)
{
	return s->state == SESSION_GONE ? -1 : clock_wait_ms(s->due);
}

void
session_pause(struct session *s, int paused)
{
	if (s->paused && !paused)
		s->answered = clock_now();
	s->paused = paused;
}
