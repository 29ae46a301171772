#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/background.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/orders.h"
#include "../lib/status.h"
#include "supervisor.h"

enum {
	SHORT = 1000, /* ms of a life that is too short */
	ENOUGH = 10   /* of these */
};

static const int deadly[] = {SIGTERM, SIGINT, SIGHUP};

/* For the signal handler. */
static volatile pid_t dispenser;
static volatile sig_atomic_t asked;

static void
on_signal(int sig)
{
	int saved = errno;

	(void)sig;
	asked = 1;
	if (dispenser > 0)
		kill(dispenser, SIGTERM);
	errno = saved;
}

static void
set_signals(void (*handler)(int))
{
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		orders_catch(deadly[i], handler, 0);
}

/* 0 in the dispenser. No signal comes before its pid is known. */
static pid_t
start(void)
{
	sigset_t block, before;
	pid_t pid;

	sigemptyset(&block);
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		sigaddset(&block, deadly[i]);
	sigprocmask(SIG_BLOCK, &block, &before);
	if (asked)
		exit(STATUS_GONE);
	if ((pid = fork()) > 0)
		dispenser = pid;
	if (pid == 0) {
		set_signals(SIG_DFL);
		sigdelset(&block, SIGTERM);
		sigprocmask(SIG_UNBLOCK, &block, NULL);
		return 0;
	}
	sigdelset(&before, SIGTERM); /* background_begin() has blocked it */
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* The status of wait(2), or -1 when none could be started. */
static int
await(pid_t pid)
{
	int status;
	pid_t got;

	if (pid < 0)
		return -1;
	while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	dispenser = 0;
	return got < 0 ? -1 : status;
}

/* One that ends by itself is done; but where one was ready, another one that cannot take over now,
   or go on, may soon. */
static int
is_done(int status, int served)
{
	return status >= 0 && WIFEXITED(status) &&
	    (!served || WEXITSTATUS(status) != STATUS_TROUBLE);
}

void
supervisor_run(int ready)
{
	long long began;
	int status, served = 0, short_lives = 0;
	pid_t pid;

	set_signals(on_signal);
	for (;;) {
		began = clock_now();
		if ((pid = start()) == 0)
			return;
		if (pid < 0 && !served)
			fail(STATUS_TROUBLE, "fork:");
		background_leave(STDERR_FILENO); /* our starter may wait for its close */
		status = await(pid);
		served = served || descriptors_poll(ready, 0, 0) != 0; /* our starter has left */
		if (is_done(status, served))
			exit(WEXITSTATUS(status));
		short_lives = clock_now() - began < SHORT ? short_lives + 1 : 0;
		if (asked || short_lives == ENOUGH)
			exit(STATUS_GONE);
		if (short_lives > 0)
			poll(NULL, 0, SHORT); /* a signal ends it */
	}
}
