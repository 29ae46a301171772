/*
 * fresh [-s] command [arg...] -- runs a command as a terminal would: SIGHUP, SIGINT and
 * SIGQUIT at their defaults (a shell ignores the last two for what it starts with &),
 * nothing open above 2, in a session of its own with -s.
 *
 * fresh -d command [arg...] -- and nothing that our caller has set: no signal is ignored, a
 * niceness of 0 where we may, a session, and a group that we, as its parent, keep from being
 * orphaned: SIGTSTP stops none that is. As an init we reap what others leave.
 *
 * fresh -c command [arg...] -- does what ssh, sudo and many daemons do at their
 * start: closes every descriptor above 2.
 */
#define _XOPEN_SOURCE 700 /* setpriority */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void
forget_caller(void)
{
	sigset_t none;

	for (int sig = 1; sig < 32; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpriority(PRIO_PROCESS, 0, 0);
	setsid();
}

/* The status of the child, when it has ended. */
static int
wait_for(pid_t child)
{
	int status;
	pid_t pid;

	while ((pid = wait(&status)) != child)
		if (pid < 0 && errno != EINTR)
			return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
main(int argc, char **argv)
{
	int fd, first = 1;
	pid_t child;

	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	for (fd = 3; fd < 1024; fd++)
		close(fd);
	if (argc > 1 && argv[1][0] == '-') {
		if (strcmp(argv[1], "-s") == 0)
			setsid();
		if (strcmp(argv[1], "-d") == 0) {
			forget_caller();
			if ((child = fork()) != 0)
				return child < 0 ? 125 : wait_for(child);
			setpgid(0, 0);
		}
		first = 2;
	}
	if (argc <= first)
		return 125;
	execvp(argv[first], argv + first);
	return 127;
}
