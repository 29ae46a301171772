/*
 * fresh [-s] command [arg...] -- runs a command as a terminal would: SIGINT and
 * SIGQUIT at their defaults (a shell ignores them for what it starts with &),
 * nothing open above 2, in a session of its own with -s.
 *
 * fresh -c command [arg...] -- does what ssh, sudo and many daemons do at their
 * start: closes every descriptor above 2.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

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
		first = 2;
	}
	if (argc <= first)
		return 125;
	execvp(argv[first], argv + first);
	return 127;
}
