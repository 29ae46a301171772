/*
 * fresh [-s] command [arg...] -- runs a command as a terminal would: SIGINT and
 * SIGQUIT at their defaults (a shell ignores them for what it starts with &),
 * nothing open above 2, in a session of its own with -s.
 *
 * fresh -d command [arg...] -- and nothing that our caller has set: no signal is ignored,
 * a niceness of 0 where we may, a session of its own.
 *
 * fresh -c command [arg...] -- does what ssh, sudo and many daemons do at their
 * start: closes every descriptor above 2.
 */
#define _XOPEN_SOURCE 700 /* setpriority */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
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

int
main(int argc, char **argv)
{
	int fd, first = 1;

	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	for (fd = 3; fd < 1024; fd++)
		close(fd);
	if (argc > 1 && argv[1][0] == '-') {
		if (strcmp(argv[1], "-s") == 0)
			setsid();
		if (strcmp(argv[1], "-d") == 0)
			forget_caller();
		first = 2;
	}
	if (argc <= first)
		return 125;
	execvp(argv[first], argv + first);
	return 127;
}
