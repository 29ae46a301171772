#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/descriptors.h"
#include "../lib/fifo.h"
#include "connection.h"

static void
name(const struct connection *c, const char *end, char text[CONNECTION_NAME])
{
	snprintf(text, CONNECTION_NAME, "%ld.%s", c->number, end);
}

static int
open_both(const struct connection *c, const char *end, int *reader, int *writer)
{
	char text[CONNECTION_NAME];

	name(c, end, text);
	return fifo_open_both(c->dir, text, reader, writer);
}

static void
unlink_both(const struct connection *c)
{
	char text[CONNECTION_NAME];

	name(c, "in", text);
	unlinkat(c->dir, text, 0);
	name(c, "out", text);
	unlinkat(c->dir, text, 0);
}

int
connection_lend(struct connection *c)
{
	if (open_both(c, "in", &c->far_in, &c->in) == 0 &&
	    open_both(c, "out", &c->out, &c->far_out) == 0)
		return 0;
	connection_taken(c);
	return -1;
}

void
connection_taken(struct connection *c)
{
	descriptors_close(&c->far_in);
	descriptors_close(&c->far_out);
}

/* Our parent may ignore signals, which exec would hand on. */
static int
start(struct connection *c, char **argv)
{
	static const int usual[] = {SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	sigset_t defaults;
	struct child_setup setup = {.in = c->far_in, .out = c->far_out, .err = -1, .shut = -1,
	    .leads = 1, .defaults = &defaults};
	pid_t pid;
	int error;

	sigemptyset(&defaults);
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		sigaddset(&defaults, usual[i]);
	if ((error = child_spawn(&pid, argv, &setup)) == 0)
		child_begin(&c->child, pid);
	return error;
}

struct connection *
connection_open(int dir, long number, char **argv)
{
	struct connection *c = calloc(1, sizeof *c);
	int error;

	if (c == NULL)
		return NULL;
	c->dir = dir;
	c->number = number;
	c->in = c->out = c->far_in = c->far_out = -1;
	/* O_NONBLOCK goes to all who share a descriptor, and no program expects it of its input. */
	error = connection_lend(c) != 0 || fcntl(c->far_in, F_SETFL, 0) != 0 ||
	    fcntl(c->far_out, F_SETFL, 0) != 0 ? errno : start(c, argv);
	if (error == 0)
		return c;
	connection_end(c, 1, 0);
	connection_free(c);
	errno = error;
	return NULL;
}

int
connection_quiet(const struct connection *c)
{
	return !(descriptors_poll(c->out, POLLIN, 0) & POLLIN);
}

void
connection_end(struct connection *c, int hurry, long long grace)
{
	connection_taken(c);
	descriptors_close(&c->in);
	descriptors_close(&c->out);
	unlink_both(c);
	if (hurry)
		child_end(&c->child, grace);
	else
		child_leave(&c->child, grace);
}

void
connection_free(struct connection *c)
{
	connection_taken(c);
	descriptors_close(&c->in);
	descriptors_close(&c->out);
	free(c);
}
