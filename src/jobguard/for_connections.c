/*
 * Stays beside jobkeep, the keeper of the connections of a batch. It starts jobkeep again when
 * that was killed, a little later each time, and also when the new one cannot begin, for want of
 * memory, say: jobs that wait for it are served then. The script waits until jobkeep is ready.
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
#include "../lib/status.h"
#include "for_connections.h"
#include "guard.h"
#include "wordlist.h"

enum { ROLE, DIRECTORY, GRACE, COUNT };
enum { TRIES = 3 /* to begin the first jobkeep */ };

/* The words of jobkeep, but for its session. */
static void
read_words(struct words *w, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc - COUNT, argv + COUNT, ":f:i:u:")) != -1) {
		if (option == '?')
			fail(STATUS_TROUBLE, "-%c: no such option", optopt);
		if (option == ':')
			fail(STATUS_TROUBLE, "-%c needs an argument", optopt);
		words_add(w, "-%c", option);
		words_add(w, "%s", optarg);
	}
	if (optind == argc - COUNT)
		fail(STATUS_TROUBLE, "needs a command");
	if (!command_there(argv[COUNT + optind]))
		fail(STATUS_TROUBLE, "%s: no such command", argv[COUNT + optind]);
	words_add(w, "-g%s", argv[GRACE]);
	words_add(w, "-n%s", argv[COUNT]);
	words_add(w, "--");
	words_add(w, "%s", argv[DIRECTORY]);
	words_copy(w, argv + COUNT + optind);
}

/* Another program's words, and these. */
static pid_t
start(const struct words *tail, long session, int out)
{
	struct words w = {0};

	words_add(&w, "jobkeep");
	words_add(&w, "-s%ld", session);
	words_copy(&w, tail->list);
	return guard_start(w.list, -1, out, -1);
}

/* jobkeep says that it is ready, and then so are we; one that cannot be heard is ended. */
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

int
for_connections(int argc, char **argv)
{
	int ready, told = 0, status, ends[2];
	struct words tail = {0};
	pid_t pid = 0;

	program = "jobctl_connections";
	read_words(&tail, argc, argv);
	for (int fd = 3; fd <= 9; fd++)
		close(fd);
	guard_ignore();
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	ready = background_begin();
	for (unsigned pause = 0;; pause++) {
		sleep(told ? pause : 0);
		if (!told && descriptors_pipe(ends, -1) != 0)
			fail(STATUS_TROUBLE, "pipe:");
		pid = start(&tail, (long)pid, told ? -1 : ends[1]);
		if (!told) {
			close(ends[1]);
			told = get_ready(ends[0], pid, ready);
		}
		status = guard_wait(pid);
		if (!told && pause == TRIES)
			fail(STATUS_TROUBLE, "jobkeep was killed, each time that it began");
		if (status > 128)
			complain("jobkeep was killed; another one begins");
		else if (status != STATUS_TROUBLE || pause == 0)
			break;
	}
	return told ? STATUS_DONE : STATUS_TROUBLE;
}
