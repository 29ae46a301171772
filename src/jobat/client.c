#include <sys/select.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobat.h"

enum { BITE = 65536 };

struct talking {
	const struct client *client;
	struct outbox in, out, shown; /* shown: what is to be written to the descriptor to */
	int to;
	int ended;            /* we have asked for the end */
	int status;           /* or -1 */
	sigset_t mask;
};

/* "never" or "lost", and why. */
static void
tell_fate(const struct talking *t, const char *what, const char *why)
{
	const struct client *c = t->client;
	FILE *file;

	if (t->ended)
		return;
	if (c->fate == NULL) {
		complain("%s: %s: %s", c->place, *what == 'n' ? "not begun" : "lost", why);
		return;
	}
	if ((file = fopen(c->fate, "w")) == NULL || fprintf(file, "%s %s\n", what, why) < 0)
		complain("%s:", c->fate);
	if (file != NULL && fclose(file) != 0)
		complain("%s:", c->fate);
}

static void
take_news(struct talking *t)
{
	const char *bytes;
	size_t length;
	int kind;

	while (t->status < 0 && outbox_waits(&t->shown) == 0 &&
	    (kind = talk_next(&t->in, &bytes, &length)) != 0) {
		if (kind < 0)
			fail(STATUS_TROUBLE, "%s: the process that keeps the connection makes no "
			    "sense", t->client->place);
		switch (kind) {
		case TALK_OUTPUT: case TALK_ERROR:
			t->to = kind == TALK_OUTPUT ? STDOUT_FILENO : STDERR_FILENO;
			if (outbox_add(&t->shown, bytes, length) != 0)
				fail(STATUS_TROUBLE, "%s: output: no memory:", t->client->place);
			break;
		case TALK_STATUS:
			t->status = (int)strtol(bytes, NULL, 10);
			break;
		case TALK_NEVER: case TALK_LOST:
			t->status = kind == TALK_NEVER ? STATUS_GONE : STATUS_LOST;
			tell_fate(t, kind == TALK_NEVER ? "never" : "lost", bytes);
			break;
		}
	}
}

/* Where nobody reads our output we die of SIGPIPE, as a command would; the job ends with us. */
static void
pass_output(struct talking *t)
{
	if (outbox_write(&t->shown, t->to, OUTBOX_PIPE) == 0)
		return;
	if (errno == EPIPE)
		orders_end = SIGPIPE;
	else
		complain("output:");
	outbox_drop(&t->shown);
	t->status = STATUS_TROUBLE;
}

static void
wait_for_server(struct talking *t)
{
	int server = t->client->server, show_now = outbox_waits(&t->shown) > 0, n;
	fd_set in, out;

	FD_ZERO(&in);
	FD_ZERO(&out);
	if (!show_now)
		FD_SET(server, &in);
	if (show_now)
		FD_SET(t->to, &out);
	if (outbox_waits(&t->out) > 0)
		FD_SET(server, &out);
	n = pselect((server > t->to ? server : t->to) + 1, &in, &out, NULL, NULL, &t->mask);
	if (n < 0 && errno != EINTR)
		fail(STATUS_TROUBLE, "pselect:");
	if (n <= 0)
		return;
	if (show_now && FD_ISSET(t->to, &out))
		pass_output(t);
	if (outbox_waits(&t->out) > 0 && FD_ISSET(server, &out) &&
	    outbox_write(&t->out, server, OUTBOX_ALL) != 0)
		outbox_drop(&t->out); /* its end is seen by reading */
	if (!show_now && FD_ISSET(server, &in) && outbox_read(&t->in, server, BITE) <= 0) {
		/* Nothing ends the job there now but what is at its side: wait for that. */
		clock_pause(t->client->patience);
		t->status = STATUS_LOST;
		tell_fate(t, "lost", "what kept the connection was killed");
	}
}

int
client_run(const struct client *client, const char *exports, const char *words)
{
	struct talking t = {.client = client, .status = -1, .to = STDERR_FILENO};

	orders_open(&t.mask);
	signal(SIGTSTP, SIG_DFL);
	talk_add(&t.out, TALK_DIRECTORY, client->directory, strlen(client->directory));
	talk_add(&t.out, TALK_EXPORTS, exports, strlen(exports));
	talk_add(&t.out, TALK_JOB, words, strlen(words));
	while (t.status < 0) {
		wait_for_server(&t);
		take_news(&t);
		if (!t.ended && (orders_end != 0 || orders_interrupts != 0)) {
			talk_add(&t.out, TALK_END, "", 0);
			t.ended = 1;
		}
	}
	outbox_drop(&t.in);
	outbox_drop(&t.out);
	outbox_drop(&t.shown);
	return t.status;
}
