#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib.h"

enum { MOST = 65536 }; /* descriptors to look at if the limit is higher, or not known */

static void
wait_until_ready(int fd, pid_t child)
{
	char byte;
	int status;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		exit(STATUS_DONE);
	if (n < 0) { /* a failure leaves no child behind */
		complain("read:");
		kill(child, SIGTERM);
	}
	close(fd); /* a child that is ready from now on gets EPIPE */
	status = child_outcome(child);
	exit(n < 0 ? STATUS_TROUBLE : status);
}

/* Our caller may wait for the close of a descriptor that we inherited: a pipe, or the lease of the
   job that started us. */
void
background_close_others(const int *ours, int count)
{
	long fd, most = sysconf(_SC_OPEN_MAX);
	int i;

	if (most < 0 || most > MOST)
		most = MOST;
	for (fd = STDERR_FILENO + 1; fd < most; fd++) {
		for (i = 0; i < count && ours[i] != fd; i++)
			;
		if (i == count)
			close((int)fd);
	}
}

/* A child gets TERM only when it is ready, and so can end in order. */
static void
hold_term(int how)
{
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(how, &term, NULL);
}

int
background_begin(void)
{
	int ends[2];
	pid_t child;

	if (descriptors_pipe(ends, -1) != 0)
		fail(STATUS_TROUBLE, "pipe:");
	hold_term(SIG_BLOCK);
	if ((child = fork()) < 0)
		fail(STATUS_TROUBLE, "fork:");
	if (child > 0) {
		hold_term(SIG_UNBLOCK);
		close(ends[1]);
		wait_until_ready(ends[0], child);
	}
	close(ends[0]);
	return ends[1];
}

void
background_leave(int last)
{
	int null = open("/dev/null", O_RDWR), i;

	for (i = 0; null >= 0 && i <= last; i++)
		dup2(null, i);
	if (null > last)
		close(null);
}

int
background_ready(int fd, int last)
{
	ssize_t n;

	background_leave(last);
	do /* our parent waits for this byte, or for our end */
		n = write(fd, "", 1);
	while (n < 0 && errno != EPIPE);
	close(fd);
	hold_term(SIG_UNBLOCK);
	return n < 0 ? -1 : 0;
}
