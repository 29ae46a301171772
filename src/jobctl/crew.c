#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/command.h"
#include "crew.h"

enum { VARIABLES = 4, VARIABLE_ROOM = 48, LOOK = 20 /* ms between two looks at a group */ };

extern char **environ;

static int
is_ours(const char *variable)
{
	static const char *const names[VARIABLES] = {"JOBCTL_ID=", "JOBCTL_SLOT=", "JOBCTL_TRY=", "JOBCTL_LABEL="};
	int i;

	for (i = 0; i < VARIABLES; i++)
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return 1;
	return 0;
}

static int
copy_environment(struct crew *crew)
{
	size_t n = 0;
	char **variable;

	while (environ[n] != NULL)
		n++;
	if ((crew->environment = malloc((n + VARIABLES + 1) * sizeof *environ)) == NULL)
		return -1;
	for (variable = environ; *variable != NULL; variable++)
		if (!is_ours(*variable))
			crew->environment[crew->own++] = *variable;
	return 0;
}

int
crew_open(struct crew *crew, long count, char **labels, const sigset_t *mask)
{
	struct crew empty = {0};
	long i;

	*crew = empty;
	crew->count = count;
	crew->labels = labels;
	crew->mask = *mask;
	crew->seats = calloc((size_t)count, sizeof *crew->seats);
	crew->free = malloc((size_t)count * sizeof *crew->free);
	if (crew->seats == NULL || crew->free == NULL || copy_environment(crew) != 0)
		return -1;
	for (i = 0; i < count; i++) {
		crew->seats[i].number = i + 1;
		crew->free[i] = count - 1 - i;
	}
	crew->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	return crew->null < 0 ? -1 : 0;
}

void
crew_close(struct crew *crew)
{
	close(crew->null);
	free(crew->environment);
	free(crew->seats);
	free(crew->free);
}

long long
crew_rest(const struct crew *crew)
{
	long i, left = crew->count - crew->running;
	long long rest = -1;

	for (i = 0; i < left && rest != 0; i++)
		rest = clock_sooner(rest, pace_left(&crew->pace, crew->seats[crew->free[i]].due));
	return rest;
}

/* It becomes the last of the free ones, which is the next to be taken. */
struct seat *
crew_free(struct crew *crew)
{
	long last = crew->count - crew->running - 1, i = last, number;

	while (i >= 0 && pace_left(&crew->pace, crew->seats[crew->free[i]].due) > 0)
		i--;
	if (i < 0)
		return NULL;
	number = crew->free[i];
	crew->free[i] = crew->free[last];
	crew->free[last] = number;
	return &crew->seats[number];
}

/* What we catch has its default in the job by exec; what we ignore must be told. */
static int
set_attributes(const struct crew *crew, posix_spawnattr_t *attributes)
{
	sigset_t defaults;
	int error;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	if ((error = posix_spawnattr_setsigmask(attributes, &crew->mask)) != 0 ||
	    (error = posix_spawnattr_setsigdefault(attributes, &defaults)) != 0 ||
	    (error = posix_spawnattr_setpgroup(attributes, 0)) != 0)
		return error;
	return posix_spawnattr_setflags(attributes,
	    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int
set_actions(const struct crew *crew, posix_spawn_file_actions_t *actions, const struct output *output)
{
	int error = posix_spawn_file_actions_adddup2(actions, crew->null, STDIN_FILENO);

	if (error == 0 && output->out >= 0)
		error = posix_spawn_file_actions_adddup2(actions, output->out, STDOUT_FILENO);
	if (error == 0 && output->err >= 0)
		error = posix_spawn_file_actions_adddup2(actions, output->err, STDERR_FILENO);
	return error;
}

static int
spawn(const struct crew *crew, pid_t *pid, char **argv, const struct output *output)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	if ((error = posix_spawnattr_init(&attributes)) != 0)
		return error;
	if ((error = posix_spawn_file_actions_init(&actions)) != 0) {
		posix_spawnattr_destroy(&attributes);
		return error;
	}
	if ((error = set_attributes(crew, &attributes)) == 0 &&
	    (error = set_actions(crew, &actions, output)) == 0)
		error = command_spawn(pid, argv, &actions, &attributes, crew->environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

int
crew_start(struct crew *crew, struct seat *seat, struct job *job, char **argv)
{
	char text[VARIABLES - 1][VARIABLE_ROOM], label[1100];
	char **variable = crew->environment + crew->own;
	int error;

	snprintf(*variable++ = text[0], VARIABLE_ROOM, "JOBCTL_ID=%ld", job->id);
	snprintf(*variable++ = text[1], VARIABLE_ROOM, "JOBCTL_SLOT=%ld", seat->number);
	snprintf(*variable++ = text[2], VARIABLE_ROOM, "JOBCTL_TRY=%d", job->tries);
	if (crew->labels != NULL)
		snprintf(*variable++ = label, sizeof label, "JOBCTL_LABEL=%s", crew->labels[seat->number - 1]);
	*variable = NULL;
	if ((error = spawn(crew, &seat->pid, argv, &job->output)) != 0) {
		seat->pid = 0;
		return error;
	}
	crew->running++;
	seat->job = job;
	seat->ended = seat->late = seat->terminal = seat->lingers = 0;
	seat->kill = 0;
	pace_start(&crew->pace, &seat->due);
	clock_gettime(CLOCK_REALTIME, &seat->start);
	seat->began = clock_now();
	seat->limit = crew->limit > 0 ? seat->began + crew->limit : 0;
	return 0;
}

/* To the group, which is there until we have waited for the job. (In between
   posix_spawn(3) and the job's setpgid(2) we cannot come: it returns after.) */
static void
send(const struct seat *seat, int sig)
{
	if (kill(-seat->pid, sig) != 0 && !seat->lingers)
		kill(seat->pid, sig);
}

static struct seat *
leave(struct crew *crew, struct seat *seat)
{
	seat->pid = 0;
	crew->running--;
	crew->free[crew->count - crew->running - 1] = seat->number - 1;
	return seat;
}

/* A job that we ended is over when its group is: there may be more in it than the
   process that we waited for, and the number is the group's while that exists. */
static struct seat *
reap_lingering(struct crew *crew, int *status)
{
	struct seat *seat;

	for (seat = crew->seats; crew->lingering > 0 && seat < crew->seats + crew->count; seat++) {
		if (seat->pid == 0 || !seat->lingers)
			continue;
		if (kill(-seat->pid, 0) == 0 && seat->kill != 0)
			continue; /* crew_look() will kill them */
		crew->lingering--;
		*status = seat->status;
		return leave(crew, seat);
	}
	return NULL;
}

struct seat *
crew_reap(struct crew *crew, int *status)
{
	struct seat *seat = reap_lingering(crew, status);
	pid_t pid;

	while (seat == NULL) {
		do
			pid = waitpid(-1, status, WNOHANG | WUNTRACED);
		while (pid < 0 && errno == EINTR);
		if (pid <= 0)
			return NULL;
		for (seat = crew->seats; seat < crew->seats + crew->count; seat++)
			if (seat->pid == pid && !seat->lingers)
				break;
		if (seat == crew->seats + crew->count) {
			seat = NULL; /* a child of whoever became us */
			continue;
		}
		if (WIFSTOPPED(*status)) {
			if (WSTOPSIG(*status) == SIGTTIN || WSTOPSIG(*status) == SIGTTOU) {
				seat->terminal = 1;
				send(seat, SIGKILL);
			}
			seat = NULL;
			continue;
		}
		if (!seat->ended || kill(-pid, 0) != 0)
			return leave(crew, seat);
		seat->lingers = 1;
		seat->status = *status;
		crew->lingering++;
		seat = NULL;
	}
	return seat;
}

void
crew_end(struct crew *crew, struct seat *seat)
{
	seat->ended = 1;
	seat->limit = 0;
	seat->kill = clock_now() + crew->grace;
	send(seat, crew->grace > 0 ? SIGTERM : SIGKILL);
	send(seat, SIGCONT);
}

long long
crew_look(struct crew *crew)
{
	long long now = 0, next = -1, due;
	struct seat *seat;

	if (crew->running == 0)
		return -1;
	for (seat = crew->seats; seat < crew->seats + crew->count; seat++) {
		if (seat->pid == 0 || (seat->limit == 0 && seat->kill == 0 && !seat->lingers))
			continue;
		if (now == 0)
			now = clock_now();
		if (seat->kill != 0 && seat->kill <= now) {
			send(seat, SIGKILL);
			seat->kill = 0;
		} else if (seat->limit != 0 && seat->limit <= now) {
			seat->late = 1;
			crew_end(crew, seat);
		}
		due = seat->kill != 0 ? seat->kill : seat->limit;
		if (due != 0 && (next < 0 || due - now < next))
			next = due < now ? 0 : due - now;
		if (seat->lingers && (next < 0 || next > LOOK))
			next = LOOK;
	}
	return next;
}

void
crew_signal(struct crew *crew, int sig)
{
	struct seat *seat;

	for (seat = crew->seats; seat < crew->seats + crew->count; seat++)
		if (seat->pid != 0)
			send(seat, sig);
}
