#include <sys/wait.h>

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

extern char **environ;

static int
set_attributes(posix_spawnattr_t *attributes, const struct child_setup *setup)
{
	const int *sig = setup->defaults;
	sigset_t defaults;
	short flags = 0;
	int error = 0;

	if (setup->leads) {
		flags |= POSIX_SPAWN_SETPGROUP;
		error = posix_spawnattr_setpgroup(attributes, 0);
	}
	if (error == 0 && setup->mask != NULL) {
		flags |= POSIX_SPAWN_SETSIGMASK;
		error = posix_spawnattr_setsigmask(attributes, setup->mask);
	}
	if (error == 0 && sig != NULL) {
		for (sigemptyset(&defaults); *sig != 0; sig++)
			sigaddset(&defaults, *sig);
		flags |= POSIX_SPAWN_SETSIGDEF;
		error = posix_spawnattr_setsigdefault(attributes, &defaults);
	}
	return error != 0 ? error : posix_spawnattr_setflags(attributes, flags);
}

static int
set_actions(posix_spawn_file_actions_t *actions, const struct child_setup *setup)
{
	const int from[] = {setup->in, setup->out, setup->err,
	    setup->third > 0 ? setup->third : -1};
	int error = 0;

	for (int to = 0; error == 0 && to < (int)(sizeof from / sizeof *from); to++)
		if (from[to] >= 0)
			error = posix_spawn_file_actions_adddup2(actions, from[to], to);
	return error;
}

char **
child_script(char **argv)
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

/* posix_spawn(3) may do without a copy of our memory, which is quicker. */
static int
spawn_or_script(pid_t *pid, char **argv, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char **environment)
{
	char **script;
	int error = posix_spawnp(pid, argv[0], actions, attributes, argv, environment);

	if (error != ENOEXEC)
		return error;
	if ((script = child_script(argv)) == NULL)
		return ENOMEM;
	error = posix_spawnp(pid, "sh", actions, attributes, script, environment);
	free(script);
	return error;
}

int
child_spawn(pid_t *pid, char **argv, const struct child_setup *setup)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	*pid = 0;
	if ((error = posix_spawnattr_init(&attributes)) != 0)
		return error;
	if ((error = posix_spawn_file_actions_init(&actions)) == 0) {
		if ((error = set_attributes(&attributes, setup)) == 0 &&
		    (error = set_actions(&actions, setup)) == 0)
			error = spawn_or_script(pid, argv, &actions, &attributes,
			    setup->environment == NULL ? environ : setup->environment);
		posix_spawn_file_actions_destroy(&actions);
	}
	posix_spawnattr_destroy(&attributes);
	if (error != 0)
		*pid = 0;
	return error;
}

char **
child_environment(const char *const *names, size_t count, size_t *own)
{
	char **copy;
	size_t n = 0, i;

	while (environ[n] != NULL)
		n++;
	if ((copy = calloc(n + count + 1, sizeof *copy)) == NULL)
		return NULL;
	*own = 0;
	for (char **variable = environ; *variable != NULL; variable++) {
		for (i = 0; i < count && strncmp(*variable, names[i], strlen(names[i])) != 0; i++)
			;
		if (i == count)
			copy[(*own)++] = *variable;
	}
	return copy;
}

int
child_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
child_outcome(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail(STATUS_TROUBLE, "wait:");
	return child_code(status);
}

/* Some systems return from posix_spawn(3) before setpgid(2) was called: there is no group yet. */
void
child_signal(const struct child *c, int sig)
{
	if (c->pid > 0 && kill(-c->pid, sig) != 0 && !c->waited)
		kill(c->pid, sig);
}

static void
enter_stage(struct child *c, enum child_stage stage, long long grace)
{
	c->stage = stage;
	c->due = clock_now() + grace;
	if (stage == CHILD_LEAVES)
		return;
	child_signal(c, stage == CHILD_TOLD ? SIGTERM : SIGKILL);
	child_signal(c, SIGCONT); /* a stopped process does not get TERM */
}

void
child_leave(struct child *c, long long grace)
{
	enter_stage(c, CHILD_LEAVES, grace);
}

void
child_end(struct child *c, long long grace)
{
	enter_stage(c, grace > 0 ? CHILD_TOLD : CHILD_KILLED, grace);
}

long long
child_wait_ms(struct child *c, long long grace)
{
	if (c->stage == CHILD_LIVES || c->stage == CHILD_KILLED)
		return -1;
	if (clock_wait_ms(c->due) == 0)
		enter_stage(c, c->stage + 1, grace);
	return c->stage == CHILD_KILLED ? -1 : clock_wait_ms(c->due);
}

pid_t
child_ended(void)
{
	siginfo_t info;

	info.si_pid = 0;
	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
		if (errno != EINTR)
			return 0;
	return info.si_pid;
}

void
child_reap(struct child *c)
{
	kill(-c->pid, SIGKILL);
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}
