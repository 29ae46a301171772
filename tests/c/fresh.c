/*
 * fresh [-s] command [arg...] -- runs a command as a terminal would: SIGHUP, SIGINT and
 * SIGQUIT at their defaults (a shell ignores the last two for commands with &), nothing open
 * above 2, with -s in a session of its own.
 *
 * fresh -t command [arg...] -- for at most 200 seconds, in a process group of its own.
 *
 * fresh -d command [arg...] -- with nothing that our caller has set: no signal is ignored, a
 * niceness of 0 if we may, a session, and a group that we, as its parent, keep from being
 * orphaned, as SIGTSTP does not stop an orphaned one. As an init we reap the orphans of others.
 * TERM, or the end of our parent if the system reports that, kills the group.
 *
 * fresh -p command [arg...] -- until our parent ends, if the system reports that.
 *
 * fresh -c command [arg...] -- does what ssh, sudo and many daemons do at their
 * start: closes every descriptor above 2.
 */
#define _XOPEN_SOURCE 700 /* setpriority */
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t group;

static void
end_group(int sig)
{
	kill(-group, SIGKILL);
	_exit(128 + sig);
}

static void
end_with_parent(void)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0); /* lasts through an exec */
#endif
}

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

/* The status of the group's first process, when it has ended. The rest of the group is killed
   before that process is reaped: no other group can have its number until then. */
static int
guard_group(void)
{
	siginfo_t ended = {0};
	int status;

	setpgid(group, group); /* or the child did so first */
	signal(SIGTERM, end_group);
	end_with_parent();
	while (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) != 0 || ended.si_pid != group)
		if (ended.si_pid > 0)
			waitpid(ended.si_pid, NULL, 0);
		else if (errno != EINTR)
			return 125;
	kill(-group, SIGKILL);
	waitpid(group, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
main(int argc, char **argv)
{
	int fd, first = 1;

	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	for (fd = 3; fd < 1024; fd++)
		close(fd);
	if (argc > 1 && argv[1][0] == '-') {
		if (strcmp(argv[1], "-s") == 0)
			setsid();
		if (strcmp(argv[1], "-t") == 0) {
			setpgid(0, 0);
			alarm(200); /* lasts through an exec */
		}
		if (strcmp(argv[1], "-p") == 0) {
			signal(SIGTERM, SIG_DFL);
			end_with_parent();
		}
		if (strcmp(argv[1], "-d") == 0) {
			forget_caller();
			if ((group = fork()) != 0)
				return group < 0 ? 125 : guard_group();
			setpgid(0, 0);
		}
		first = 2;
	}
	if (argc <= first)
		return 125;
	execvp(argv[first], argv + first);
	return 127;
}
