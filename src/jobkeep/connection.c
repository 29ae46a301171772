#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/command.h"
#include "connection.h"

extern char **environ;

static void
name(const struct connection *c, const char *end, char text[CONNECTION_NAME])
{
	snprintf(text, CONNECTION_NAME, "%ld.%s", c->number, end);
}

static void
shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Both ends, the read end first: an open of the other one finds a reader. The FIFO is new
   when we have no end of it, and is never made again. */
static int
open_both(const struct connection *c, const char *end, int *reads, int *writes)
{
	char text[CONNECTION_NAME];

	name(c, end, text);
	if (*reads < 0 && *writes < 0 && mkfifoat(c->dir, text, 0600) != 0 && errno != EEXIST)
		return -1;
	if (*reads < 0)
		*reads = openat(c->dir, text, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (*reads >= 0 && *writes < 0)
		*writes = openat(c->dir, text, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	return *writes < 0 ? -1 : 0;
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
	if (open_both(c, "in", &c->far_in, &c->in) == 0 && open_both(c, "out", &c->out, &c->far_out) == 0)
		return 0;
	connection_taken(c);
	return -1;
}

void
connection_taken(struct connection *c)
{
	shut(&c->far_in);
	shut(&c->far_out);
}

/* Whoever started us may ignore signals: that is inherited by exec. */
static int
set_attributes(posix_spawnattr_t *attributes)
{
	static const int usual[] = {SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	sigset_t defaults;
	size_t i;
	int error;

	sigemptyset(&defaults);
	for (i = 0; i < sizeof usual / sizeof *usual; i++)
		sigaddset(&defaults, usual[i]);
	if ((error = posix_spawnattr_setsigdefault(attributes, &defaults)) != 0 ||
	    (error = posix_spawnattr_setpgroup(attributes, 0)) != 0)
		return error;
	return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int
start(struct connection *c, char **argv)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	if ((error = posix_spawnattr_init(&attributes)) != 0)
		return error;
	if ((error = posix_spawn_file_actions_init(&actions)) != 0) {
		posix_spawnattr_destroy(&attributes);
		return error;
	}
	if ((error = set_attributes(&attributes)) == 0 &&
	    (error = posix_spawn_file_actions_adddup2(&actions, c->far_in, STDIN_FILENO)) == 0 &&
	    (error = posix_spawn_file_actions_adddup2(&actions, c->far_out, STDOUT_FILENO)) == 0)
		error = command_spawn(&c->pid, argv, &actions, &attributes, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

/* That a descriptor does not block is told to all that have it, and nobody expects it
   of standard input. */
static int
let_block(const struct connection *c)
{
	return fcntl(c->far_in, F_SETFL, 0) == 0 ? fcntl(c->far_out, F_SETFL, 0) : -1;
}

/* 0, or errno */
static int
begin(struct connection *c, char **argv)
{
	if (connection_lend(c) != 0 || let_block(c) != 0)
		return errno;
	return start(c, argv);
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
	if ((error = begin(c, argv)) == 0)
		return c;
	c->pid = 0;
	connection_end(c, 1, 0);
	connection_free(c);
	errno = error;
	return NULL;
}

static short
state(const struct connection *c)
{
	struct pollfd out = {0};

	out.fd = c->out;
	out.events = POLLIN;
	return poll(&out, 1, 0) > 0 ? out.revents : 0;
}

int
connection_quiet(const struct connection *c)
{
	return !(state(c) & POLLIN);
}

/* Where poll says nothing of a last close, a read does; what it eats nobody wants. */
int
connection_mute(const struct connection *c)
{
	char byte[512];
	ssize_t n;
	int i = 0;

	do
		n = read(c->out, byte, sizeof byte);
	while (n > 0 && ++i < 200);
	return n == 0;
}

static void
enter(struct connection *c, int stage)
{
	c->stage = stage;
	c->due = clock_now() + c->grace;
	if (stage > 1 && c->pid > 0)
		kill(-c->pid, stage == 2 ? SIGTERM : SIGKILL);
}

void
connection_end(struct connection *c, int hurry, long long grace)
{
	connection_taken(c);
	shut(&c->in);
	shut(&c->out);
	unlink_both(c);
	c->grace = grace;
	enter(c, hurry ? 2 : 1);
}

int
connection_look(struct connection *c, long long *wait)
{
	if (c->pid == 0)
		return 0;
	if (c->stage > 0 && c->stage < 3 && clock_left(c->due) == 0)
		enter(c, c->stage + 1);
	if (c->stage > 0 && c->stage < 3)
		*wait = clock_sooner(*wait, clock_left(c->due));
	return 1;
}

/* The number is the group's until we have waited: so this can hit nobody else. */
void
connection_died(struct connection *c)
{
	kill(-c->pid, SIGKILL);
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}

void
connection_free(struct connection *c)
{
	connection_taken(c);
	shut(&c->in);
	shut(&c->out);
	free(c);
}
