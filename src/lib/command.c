#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP,
    SIGCONT};
enum { SIGNALS = sizeof passed_on / sizeof *passed_on };

/* For the signal handler. */
static volatile pid_t running;

/* Signals of the kernel have si_code above 0: a terminal's have gone to the whole group. */
static void
pass_on(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (info->si_code <= 0 && running > 0)
		kill(running, sig);
	errno = saved;
}

static int
is_program(const char *path)
{
	struct stat st;

	return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int
command_there(const char *name)
{
	const char *path = getenv("PATH");
	char whole[PATH_MAX];
	int length, there = 0;

	if (strchr(name, '/') != NULL || path == NULL)
		return is_program(name);
	for (; !there; path += length + 1) {
		length = (int)strcspn(path, ":");
		there = snprintf(whole, sizeof whole, "%.*s/%s", length > 0 ? length : 1,
		    length > 0 ? path : ".", name) < (int)sizeof whole &&
		    is_program(whole);
		if (path[length] == '\0')
			break;
	}
	return there;
}

static int
cannot_run(const char *command, int reason)
{
	if (reason == ENOENT && strchr(command, '/') == NULL && !command_there(command)) {
		complain("%s: no such program on PATH; for a builtin, a function or an alias, "
		    "write sh -c", command);
	} else {
		errno = reason;
		complain("%s:", command);
	}
	return reason == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

int
command_exec(char **argv)
{
	char **script;

	execvp(argv[0], argv);
	if (errno == ENOEXEC && (script = child_script(argv)) != NULL)
		execvp("sh", script);
	return cannot_run(argv[0], errno);
}

int
command_answer(char **argv, char *text, size_t size)
{
	int ends[2], error = -1, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	size_t used = 0;
	ssize_t n = 1;
	pid_t pid;

	null = descriptors_lift(null, STDERR_FILENO + 1);
	if (null < 0 || descriptors_pipe(ends, -1) != 0) {
		close(null);
		return -1;
	}
	error = child_spawn(&pid, argv, &(struct child_setup){.in = null, .out = ends[1],
	    .err = null});
	close(null);
	close(ends[1]);
	while (error == 0 && used + 1 < size && (n > 0 || (n < 0 && errno == EINTR)))
		if ((n = read(ends[0], text + used, size - 1 - used)) > 0)
			used += (size_t)n;
	text[used] = '\0';
	close(ends[0]);
	while (error == 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return error == 0 ? 0 : -1;
}

/* All signals are blocked until the child's pid and the handlers are set. */
int
command_start(char **argv, int lease)
{
	sigset_t all, old;
	struct child_setup setup = {.in = -1, .out = -1, .err = -1, .mask = &old};
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART}, before;
	pid_t pid;
	int error;

	fcntl(lease, F_SETFD, FD_CLOEXEC);
	sigfillset(&all);
	if (sigprocmask(SIG_BLOCK, &all, &old) != 0)
		fail(STATUS_TROUBLE, "signals:");
	if ((error = child_spawn(&pid, argv, &setup)) != 0) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		return cannot_run(argv[0], error);
	}
	running = pid;
	action.sa_sigaction = pass_on;
	sigemptyset(&action.sa_mask);
	for (int i = 0; i < SIGNALS; i++)
		if (sigaction(passed_on[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(passed_on[i], &action, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return 0;
}

/* A terminal stops the command and us together, and a shell continues both. A debugger or cpulimit
   stops the command alone, and will continue it. */
int
command_wait(void)
{
	int status, sig;

	for (;;) {
		if (waitpid(running, &status, WUNTRACED) < 0) {
			if (errno != EINTR)
				fail(STATUS_TROUBLE, "wait:");
		} else if (!WIFSTOPPED(status)) {
			break;
		} else if ((sig = WSTOPSIG(status)) == SIGTSTP || sig == SIGTTIN ||
		    sig == SIGTTOU) {
			raise(SIGSTOP);
			kill(running, SIGCONT); /* ours was for the command, too */
		}
	}
	running = 0;
	return child_code(status);
}
