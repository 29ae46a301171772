#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobkeep.h"

enum {
	TRIES = 4,   /* to begin, if the keeper is killed each time */
	ROUNDS = 50, /* of a process that forks all the time */
	HELD = 100   /* ms: who has found the name, and is in open */
};

/* Kills the session of a keeper that has ended. The number is not reused while a member lives. */
static void
end_session(pid_t session)
{
	struct family all = {0};
	int found = 1;

	for (int round = 0; round < ROUNDS && found > 0; round++) {
		if (session <= 1 || !family_ended(session))
			break;
		found = 0;
		family_read(&all);
		for (size_t i = 0; i < all.count; i++)
			if (all.list[i].pid > 1 && getsid(all.list[i].pid) == session &&
			    kill(all.list[i].pid, SIGKILL) == 0)
				found++;
		poll(NULL, 0, found > 0); /* they need a moment to go */
	}
	free(all.list);
}

/* N of N.in or N.out, or 0. */
static long
connection_of(const char *name)
{
	char *dot;
	long number = *name >= '0' && *name <= '9' ? strtol(name, &dot, 10) : 0;

	if (number == 0 || number == LONG_MAX)
		return 0;
	return strcmp(dot, ".in") == 0 || strcmp(dot, ".out") == 0 ? number : 0;
}

/* Takes the FIFOs of connections away. Who waits in an open of one goes on: both ends are open for
   a moment, and for the caller to close, as somebody may have found the name and not be in open
   yet. Returns the highest number, or that one. */
static long
release(const char *directory, long highest)
{
	char path[PATH_MAX];
	struct dirent *entry;
	long number;
	DIR *list;

	snprintf(path, sizeof path, "%s/keep", directory);
	if ((list = opendir(path)) == NULL)
		return highest;
	while ((entry = readdir(list)) != NULL) {
		number = connection_of(entry->d_name);
		highest = number > highest ? number : highest;
		if (number == 0 ||
		    fifo_open(dirfd(list), entry->d_name, O_RDONLY | O_NOFOLLOW) < 0)
			continue; /* it is no FIFO */
		(void)fifo_open(dirfd(list), entry->d_name, O_WRONLY | O_NOFOLLOW);
		unlinkat(dirfd(list), entry->d_name, 0);
	}
	closedir(list);
	poll(NULL, 0, HELD);
	return highest;
}

int
restart_keeper(int argc, char **argv, const char *directory)
{
	char since[24];
	char **words = need_memory(calloc((size_t)argc + 3, sizeof *words));
	int ready, begun, status;
	long last = 0;
	pid_t pid;

	memcpy(words, (char *[]){"jobkeep", "-s", since}, 3 * sizeof *words);
	memcpy(words + 3, argv + 1, (size_t)argc * sizeof *words);
	for (int fd = 3; fd <= 9; fd++)
		close(fd);
	guard_ignore();
	ready = background_begin();
	for (int tries = 1;; tries++) {
		snprintf(since, sizeof since, "%ld", last);
		pid = guard_start(words, -1, ready);
		status = guard_wait(pid);
		begun = (descriptors_poll(ready, POLLOUT, 0) & (POLLERR | POLLHUP)) != 0;
		if (status <= 128 && (status != STATUS_TROUBLE || !begun)) {
			free(words);
			return status == STATUS_DONE ? STATUS_TROUBLE : status; /* it said why */
		}
		if (!begun && tries == TRIES)
			fail(STATUS_TROUBLE, "jobkeep was killed, each time that it began");
		if (begun && status > 128)
			complain("jobkeep was killed; another one begins");
		end_session(pid);
		last = release(directory, last);
		background_close_others(&ready, 1);
		sleep(begun ? (unsigned)tries - 1 : 0);
	}
}
