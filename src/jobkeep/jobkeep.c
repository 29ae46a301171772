/*
 * jobkeep -- keeps connections for the jobs of a batch of jobctl.sh: one for each slot,
 * opened when a job asks for it, lent to one job at a time.
 *
 * DIRECTORY is that of the batch (src/tokend/parent.c). In its subdirectory keep are, for
 * slot K, the FIFOs
 *
 *	K.ask	a job writes lines into it
 *	K.say	it reads the answer from it
 *
 * and for connection N, the Nth that was opened, N.in and N.out. A job
 * opens K.ask and K.say, and says, in a name of its own that no other job uses,
 *
 *	get WHO		I need the connection
 *	+ WHO		I have opened it
 *	ok WHO		I have read all that I asked for: it may be lent to others
 *
 * and reads, after lines that are empty or torn, or for a job that has died,
 *
 *	WHO ready N USES	it is N, and so many jobs have used it
 *	WHO refused 0 0		there is none, and there will be none
 *
 * "get" of another job, and the last close of K.ask, before "ok": the job has failed, and its
 * connection is ended. A slot has one job at a time, so "get" comes when the one before is
 * no more; a late word of that has another WHO.
 *
 * The inlet of the dispenser, DIRECTORY/fifo, tells when the batch has ended. DIRECTORY/news is
 * open as long as there are connections: jobctl_close waits for its end.
 *
 * jobkeep stays beside itself (restart.c): the keeper proper is the process with -s, and descriptor
 * READY.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "jobkeep.h"

#define USAGE \
	"usage: jobkeep [option...] -d DIRECTORY -n N command [arg...]"

static const struct option table[] = {
	{'d', "directory", "DIR", "directory of the batch"},
	{'n', "slots", "N", "slots of the batch"},
	{'g', "grace", "SECONDS", "time between TERM and KILL"},
	{'i', "idle", "SECONDS", "close a connection that nobody has used this long"},
	{'s', "since", "N", "be the keeper itself, after N connections"},
	{'u', "uses", "N", "close a connection after N jobs"},
	OPTIONS_END
};

enum {
	MOST = 100000, /* slots */
	EACH = 8,      /* descriptors for one, while its next connection replaces the last */
	OTHERS = 20,
	READY = 3      /* the descriptor by which a keeper tells that it is ready */
};

static int
open_in(int batch, const char *directory, const char *name, int flags)
{
	int fd = openat(batch, name, flags | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		fail(errno == ENXIO || errno == ENOENT ? STATUS_GONE : STATUS_TROUBLE, "%s/%s:",
		    directory, name);
	return fd;
}

/* The directory, and who must be there. */
static void
open_batch(struct keeper *k, const char *directory)
{
	int batch = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (batch < 0)
		fail(errno == ENOENT ? STATUS_GONE : STATUS_TROUBLE, "%s:", directory);
	k->inlet = open_in(batch, directory, "fifo", O_WRONLY | O_NONBLOCK);
	open_in(batch, directory, "news", O_WRONLY | O_NONBLOCK); /* stays open to our end */
	if (mkdirat(batch, "keep", 0700) != 0 && errno != EEXIST)
		fail(STATUS_TROUBLE, "%s/keep:", directory);
	k->dir = open_in(batch, directory, "keep", O_RDONLY | O_DIRECTORY);
	close(batch);
}

int
main(int argc, char **argv)
{
	struct keeper k = {.idle = -1, .grace = 5000, .number = -1};
	const char *directory = NULL;
	struct options o;
	int code;

	program = "jobkeep";
	options_open(&o, USAGE, table, argv);
	while ((code = options_next(&o)) != -1)
		switch (code) {
		case 'd': directory = options_path(&o); break;
		case 'g': k.grace = number_option_ms(&o); break;
		case 'i': k.idle = number_option_ms(&o); break;
		case 'n': k.count = number_option(&o, 1, MOST); break;
		case 's': k.number = number_option(&o, 0, LONG_MAX - 1); break;
		case 'u': k.uses = number_option(&o, 1, LONG_MAX); break;
		}
	if (o.argv[0] == NULL || k.count == 0 || directory == NULL)
		options_misused(&o, "needs -d DIRECTORY, -n N and a command");
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	k.command = o.argv;
	if (k.number < 0 && !command_there(*k.command))
		fail(STATUS_TROUBLE, "%s: no such command", *k.command);
	if (k.number < 0)
		return restart_keeper(argc, argv, directory);
	if (fcntl(READY, F_SETFD, FD_CLOEXEC) != 0)
		fail(STATUS_TROUBLE, "-s is not for users:");
	signal(SIGPIPE, SIG_IGN);
	setsid(); /* by which those that we leave can be found */
	need_descriptors(k.count * EACH + OTHERS, k.count, "connections");
	open_batch(&k, directory);
	keeper_open(&k);
	background_ready(READY, STDOUT_FILENO);
	keeper_run(&k);
	return STATUS_DONE;
}
