#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "complain.h"
#include "status.h"

enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

extern char **environ;

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

static void
cannot_run(const char *command, int reason)
{
	errno = reason;
	complain("%s:", command);
	exit(reason == ENOENT ? NOT_FOUND : CANNOT_RUN);
}

/* A script without "#!", as execvp(3) of POSIX runs it and some libraries do not:
   sh FILE ARG... The caller frees the list; NULL for no memory. */
static char **
as_script(char **argv)
{
	char **script;
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	if ((script = malloc((n + 2) * sizeof *script)) == NULL)
		return NULL;
	script[0] = "sh";
	memcpy(script + 1, argv, (n + 1) * sizeof *script);
	return script;
}

void
command_exec(char **argv)
{
	char **script;

	execvp(argv[0], argv);
	if (errno == ENOEXEC && (script = as_script(argv)) != NULL)
		execvp("sh", script);
	cannot_run(argv[0], errno);
}

/* posix_spawn(3) may do without a copy of our memory, which is quicker. */
int
command_spawn(pid_t *pid, char **argv, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char **environment)
{
	char **script;
	int error = posix_spawnp(pid, argv[0], actions, attributes, argv, environment);

	if (error != ENOEXEC)
		return error;
	if ((script = as_script(argv)) == NULL)
		return ENOMEM;
	error = posix_spawnp(pid, "sh", actions, attributes, script, environment);
	free(script);
	return error;
}

int
command_answer(char **argv, char *text, size_t size)
{
	posix_spawn_file_actions_t actions;
	int ends[2], error = -1;
	size_t used = 0;
	ssize_t n = 1;
	pid_t pid;

	if (pipe(ends) != 0)
		return -1;
	if (posix_spawn_file_actions_init(&actions) == 0) {
		if (posix_spawn_file_actions_addclose(&actions, ends[0]) == 0 &&
		    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
		    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
		    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) == 0)
			error = command_spawn(&pid, argv, &actions, NULL, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
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

static pid_t
spawn(char **argv, int lease, const sigset_t *mask)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid;
	int error = posix_spawnattr_init(&attributes);

	if (error == 0 && (error = posix_spawn_file_actions_init(&actions)) == 0 &&
	    (error = posix_spawnattr_setsigmask(&attributes, mask)) == 0 &&
	    (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK)) == 0 && lease >= 0)
		error = posix_spawn_file_actions_addclose(&actions, lease);
	if (error != 0) {
		errno = error;
		fail(STATUS_TROUBLE, "spawn:");
	}
	error = command_spawn(&pid, argv, &actions, &attributes, environ);
	if (error != 0)
		cannot_run(argv[0], error);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return pid;
}

/* Blocked until the child is known and the handlers stand. */
static void
start(char **argv, int lease, const sigset_t *all)
{
	struct sigaction action = {0}, before;
	sigset_t old;
	int i;

	if (sigprocmask(SIG_BLOCK, all, &old) != 0)
		fail(STATUS_TROUBLE, "signals:");
	child = spawn(argv, lease, &old);
	action.sa_sigaction = pass_on;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigemptyset(&action.sa_mask);
	for (i = 0; i < SIGNALS; i++)
		if (sigaction(passed_on[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(passed_on[i], &action, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* What a terminal stops, it stops with us, and continues so. Whoever stops the
   command alone, as a debugger or cpulimit, will continue just that. */
static int
by_terminal(int sig)
{
	return sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
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
		} else if (!WIFSTOPPED(status)) {
			break;
		} else if (by_terminal(WSTOPSIG(status))) {
			raise(SIGSTOP);
			kill(child, SIGCONT); /* whoever woke us meant it, too */
		}
	}
	child = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
