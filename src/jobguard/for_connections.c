/*
 * Stays beside jobkeep, the keeper of the connections of a batch. If jobkeep is killed, starts it
 * again, a little later each time, and also if the new one cannot begin, without memory, say: then
 * jobs that wait for it are served. The script waits until jobkeep is ready.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/background.h"
#include "../lib/command.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/guard.h"
#include "../lib/options.h"
#include "../lib/status.h"
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

/* What runs jobkeep, as the user gave its options; never freed. */
static struct {
	char **command;
	char session[24]; /* -sSESSION of the jobkeep before, whose connections the new one
	                     ends; or -s0 */
} keeper;

static void
make_command(int argc, char **argv)
{
	char *first[] = {"jobkeep", keeper.session, "-g", argv[GRACE], "-n", argv[COUNT]};
	size_t n = sizeof first / sizeof *first;
	char **all = need_memory(malloc((n + (size_t)argc) * sizeof *all));
	struct options o;
	int code;

	options_open(&o, USAGE, table, argv + COUNT);
	while ((code = options_next(&o)) != -1)
		if (code == HELP)
			options_help(&o, STATUS_TROUBLE);
	if (o.argv[0] == NULL)
		fail(STATUS_TROUBLE, "needs a command");
	if (!command_there(o.argv[0]))
		fail(STATUS_TROUBLE, "%s: no such command", o.argv[0]);
	memcpy(all, first, sizeof first);
	for (char **word = argv + COUNT + 1; word < o.argv; word++)
		if (word + 1 < o.argv || strcmp(*word, "--") != 0)
			all[n++] = *word;
	all[n++] = "--";
	all[n++] = argv[DIRECTORY];
	while ((all[n++] = *o.argv++) != NULL)
		;
	keeper.command = all;
}

static pid_t
start(pid_t session, int out)
{
	snprintf(keeper.session, sizeof keeper.session, "-s%ld", (long)session);
	return guard_start(keeper.command, out, 0);
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
begin(int parent)
{
	pid_t pid, session = 0;
	int ends[2];

	for (int tries = 1;; tries++) {
		if (descriptors_pipe(ends, -1) != 0)
			fail(STATUS_TROUBLE, "pipe:");
		pid = start(session, ends[1]);
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
	pid_t pid, session;
	int ready, status;

	program = "jobctl_connections";
	make_command(argc, argv);
	for (int fd = 3; fd <= 9; fd++)
		close(fd);
	guard_ignore();
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	ready = background_begin();
	pid = session = begin(ready);
	for (unsigned pause = 0;; pause++) {
		status = guard_wait(pid);
		if (status <= 128 && (status != STATUS_TROUBLE || pause == 0))
			return STATUS_DONE;
		if (status > 128)
			complain("jobkeep was killed; another one begins");
		sleep(pause);
		if ((pid = start(session, -1)) > 0)
			session = pid;
	}
}
