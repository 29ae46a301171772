/*
 * Stays beside jobkeep, the keeper of the connections of a batch. If jobkeep is killed, starts it
 * again, a little later each time, and also if the new one cannot begin, without memory, say: then
 * jobs that wait for it are served. The script waits until jobkeep is ready.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/background.h"
#include "../lib/command.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/guard.h"
#include "../lib/options.h"
#include "../lib/status.h"
#include "arguments.h"
#include "for_connections.h"

enum { ROLE, DIRECTORY, GRACE, COUNT };
enum { TRIES = 4 }; /* to begin, if jobkeep is killed each time */

#define USAGE "usage: jobctl_connections [option...] command [arg...]"

enum { HELP = 256 };

static const struct option table[] = {
	{'f', "failures", "N", "give up after N failures in a row to open a connection"},
	{'i', "idle", "SECONDS", "close a connection that nobody has used this long"},
	{'u', "uses", "N", "close a connection after N jobs"},
	{HELP, "help", NULL, "print this; there will be no connections"},
	{0, NULL, NULL, NULL}
};

/* Reads the arguments of jobkeep, except its session. */
static void
read_arguments(struct arguments *w, char **argv)
{
	struct options o;
	int code;

	options_open(&o, USAGE, table, argv + COUNT);
	while ((code = options_next(&o)) != -1) {
		if (code == HELP)
			options_help(&o, STATUS_TROUBLE);
		arguments_add(w, "-%c", code);
		arguments_add(w, "%s", o.argument);
	}
	if (o.argv[0] == NULL)
		fail(STATUS_TROUBLE, "needs a command");
	if (!command_there(o.argv[0]))
		fail(STATUS_TROUBLE, "%s: no such command", o.argv[0]);
	arguments_add(w, "-g%s", argv[GRACE]);
	arguments_add(w, "-n%s", argv[COUNT]);
	arguments_add(w, "--");
	arguments_add(w, "%s", argv[DIRECTORY]);
	arguments_append(w, o.argv);
}

/* session: that of the jobkeep before, whose connections the new one ends; or 0. */
static pid_t
start(const struct arguments *tail, long session, int out)
{
	struct arguments w = {0};

	arguments_add(&w, "jobkeep");
	arguments_add(&w, "-s%ld", session);
	arguments_append(&w, tail->list);
	return guard_start(w.list, out, -1);
}

/* Waits until jobkeep says that it is ready, and says so, too; ends one that cannot be read. */
static int
get_ready(int fd, pid_t jobkeep, int parent)
{
	char word[sizeof "ready\n"];
	ssize_t n;

	do
		n = read(fd, word, sizeof word);
	while (n < 0 && errno == EINTR);
	close(fd);
	if (n > 0 && background_ready(parent, STDOUT_FILENO) == 0)
		return 1;
	if (n != 0 && jobkeep > 0)
		kill(jobkeep, SIGKILL);
	if (n > 0)
		exit(STATUS_TROUBLE);
	return 0;
}

/* The first jobkeep that is ready. Exits if there is none. */
static pid_t
begin(const struct arguments *tail, int parent)
{
	pid_t pid, session = 0;
	int ends[2];

	for (int tries = 1;; tries++) {
		if (descriptors_pipe(ends, -1) != 0)
			fail(STATUS_TROUBLE, "pipe:");
		pid = start(tail, (long)session, ends[1]);
		close(ends[1]);
		if (get_ready(ends[0], pid, parent))
			return pid;
		if (guard_wait(pid) <= 128)
			exit(STATUS_TROUBLE); /* it has said why */
		if (tries == TRIES)
			fail(STATUS_TROUBLE, "jobkeep was killed, each time that it began");
		session = pid;
	}
}

int
for_connections(int argc, char **argv)
{
	struct arguments tail = {0};
	pid_t pid, session;
	int ready, status;

	(void)argc;
	program = "jobctl_connections";
	read_arguments(&tail, argv);
	for (int fd = 3; fd <= 9; fd++)
		close(fd);
	guard_ignore();
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	ready = background_begin();
	pid = session = begin(&tail, ready);
	for (unsigned pause = 0;; pause++) {
		status = guard_wait(pid);
		if (status <= 128 && (status != STATUS_TROUBLE || pause == 0))
			return STATUS_DONE;
		if (status > 128)
			complain("jobkeep was killed; another one begins");
		sleep(pause);
		if ((pid = start(&tail, (long)session, -1)) > 0)
			session = pid;
	}
}
