#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "complain.h"
#include "status.h"

enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
enum { SIGNALS = sizeof passed_on / sizeof *passed_on };

/* For the signal handler. */
static volatile pid_t child;

/* si_code is above 0 for what the kernel sends: from a terminal, to the group. */
static void
pass_on(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (info->si_code <= 0 && child > 0)
		kill(child, sig);
	errno = saved;
}

void
command_exec(char **argv)
{
	int saved;

	execvp(argv[0], argv);
	saved = errno;
	complain("%s:", argv[0]);
	exit(saved == ENOENT ? NOT_FOUND : CANNOT_RUN);
}

/* Blocked from the fork until the child is known and the handlers stand. */
static void
start(char **argv, int lease, const sigset_t *all)
{
	struct sigaction action = {0}, before;
	sigset_t old;
	int i;

	if (sigprocmask(SIG_BLOCK, all, &old) != 0 || (child = fork()) < 0)
		fail(STATUS_TROUBLE, "fork:");
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		if (lease >= 0)
			close(lease);
		command_exec(argv);
	}
	action.sa_sigaction = pass_on;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigemptyset(&action.sa_mask);
	for (i = 0; i < SIGNALS; i++)
		if (sigaction(passed_on[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(passed_on[i], &action, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

int
command_run(char **argv, int lease)
{
	sigset_t all;
	int i, status;

	sigemptyset(&all);
	for (i = 0; i < SIGNALS; i++)
		sigaddset(&all, passed_on[i]);
	start(argv, lease, &all);
	for (;;) {
		if (waitpid(child, &status, WUNTRACED) < 0) {
			if (errno != EINTR)
				fail(STATUS_TROUBLE, "wait:");
		} else if (WIFSTOPPED(status)) {
			raise(SIGSTOP);
			kill(child, SIGCONT); /* whoever woke us meant it, too */
		} else {
			break;
		}
	}
	child = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
