/* careless COMMAND... -- runs it as the first process of a careless container would: orphans become
   our children, and we never wait for them. Exits with the command's status. */
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <unistd.h>

int
main(int argc, char **argv)
{
	pid_t pid;
	int status;

	if (argc < 2 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 || (pid = fork()) < 0)
		return 125;
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		return 127;
	}
	if (waitpid(pid, &status, 0) != pid)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
