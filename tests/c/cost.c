/* cost COMMAND [ARG...] -- runs the command, with no output, until all that it has started is gone,
   on Linux also processes that went into the background. Prints microseconds: those until the
   command's end, and those of CPU of all of these. The status is the command's. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

int
main(int argc, char **argv)
{
	struct timespec from, to = {0};
	struct rusage r;
	int status, result = 125;
	pid_t command, pid;

#ifdef __linux__
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
		return 125;
#endif
	clock_gettime(CLOCK_MONOTONIC, &from);
	if (argc < 2 || (command = fork()) < 0)
		return 125;
	if (command == 0) {
		if (freopen("/dev/null", "w", stdout) != NULL && dup2(1, 2) == 2)
			execvp(argv[1], argv + 1);
		_exit(127);
	}
	while ((pid = wait(&status)) > 0 || errno == EINTR)
		if (pid == command) {
			clock_gettime(CLOCK_MONOTONIC, &to);
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		}
	getrusage(RUSAGE_CHILDREN, &r);
	printf("%.0f %.0f\n", 1e6 * (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) / 1e3,
	    1e6 * (r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	        (r.ru_utime.tv_usec + r.ru_stime.tv_usec));
	return result;
}
