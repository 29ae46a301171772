#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "crew.h"

enum { VARIABLES = 4, VARIABLE_ROOM = 48, LOOK = 20 /* ms between two looks at a group */ };

int
crew_open(struct crew *crew, long count, char **labels, const sigset_t *mask)
{
	static const char *const names[VARIABLES] = {"JOBCTL_ID=", "JOBCTL_SLOT=", "JOBCTL_TRY=",
	    "JOBCTL_LABEL="};

	*crew = (struct crew){0};
	crew->count = count;
	crew->labels = labels;
	crew->mask = *mask;
	crew->seats = calloc((size_t)count, sizeof *crew->seats);
	crew->free = malloc((size_t)count * sizeof *crew->free);
	crew->environment = child_environment(names, VARIABLES, &crew->own);
	if (crew->seats == NULL || crew->free == NULL || crew->environment == NULL)
		return -1;
	for (long i = 0; i < count; i++) {
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

static long long
seat_wait_ms(const struct crew *crew, long i)
{
	return pace_wait_ms(&crew->pace, &crew->seats[crew->free[i]].turn);
}

long long
crew_free_ms(const struct crew *crew)
{
	long i, free = crew->count - crew->running;
	long long wait = -1;

	for (i = 0; i < free && wait != 0; i++)
		wait = clock_sooner(wait, seat_wait_ms(crew, i));
	return wait;
}

/* It becomes the last of the free ones, which is the next to be taken. */
struct seat *
crew_free(struct crew *crew)
{
	long last = crew->count - crew->running - 1, i = last, number;

	while (i > 0 && seat_wait_ms(crew, i) > 0)
		i--;
	number = crew->free[i];
	crew->free[i] = crew->free[last];
	crew->free[last] = number;
	return &crew->seats[number];
}

/* What we catch has its default in the job by exec; what we ignore must be told. */
static int
spawn(const struct crew *crew, pid_t *pid, char **argv, const struct output *output)
{
	sigset_t defaults;
	struct child_setup setup = {.in = crew->null, .out = output->out, .err = output->err,
	    .shut = -1, .leads = 1, .mask = &crew->mask, .defaults = &defaults,
	    .environment = crew->environment};

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	return child_spawn(pid, argv, &setup);
}

int
crew_start(struct crew *crew, struct seat *seat, struct job *job, char **argv)
{
	char text[VARIABLES - 1][VARIABLE_ROOM], label[1100];
	char **variable = crew->environment + crew->own;
	pid_t pid;
	int error;

	snprintf(*variable++ = text[0], VARIABLE_ROOM, "JOBCTL_ID=%ld", job->id);
	snprintf(*variable++ = text[1], VARIABLE_ROOM, "JOBCTL_SLOT=%ld", seat->number);
	snprintf(*variable++ = text[2], VARIABLE_ROOM, "JOBCTL_TRY=%d", job->tries);
	if (crew->labels != NULL)
		snprintf(*variable++ = label, sizeof label, "JOBCTL_LABEL=%s",
		    crew->labels[seat->number - 1]);
	*variable = NULL;
	if ((error = spawn(crew, &pid, argv, &job->output)) != 0)
		return error;
	crew->running++;
	child_begin(&seat->child, pid);
	seat->job = job;
	seat->ended = seat->late = seat->terminal = 0;
	pace_begin(&crew->pace, &seat->turn);
	clock_gettime(CLOCK_REALTIME, &seat->start);
	seat->began = clock_now();
	seat->limit = crew->limit > 0 ? seat->began + crew->limit : 0;
	return 0;
}

static struct seat *
leave(struct crew *crew, struct seat *seat)
{
	seat->child.pid = 0;
	crew->running--;
	crew->free[crew->count - crew->running - 1] = seat->number - 1;
	return seat;
}

/* A job that we ended is over when its group is: there may be more in it than the process that
   we waited for. Until they are killed the number is the group's. */
static struct seat *
reap_lingering(struct crew *crew)
{
	for (struct seat *seat = crew->seats; crew->lingering > 0 &&
	    seat < crew->seats + crew->count; seat++) {
		if (seat->child.pid == 0 || !seat->child.waited ||
		    (seat->child.stage != CHILD_KILLED && kill(-seat->child.pid, 0) == 0))
			continue;
		crew->lingering--;
		return leave(crew, seat);
	}
	return NULL;
}

/* The seat of a child that has ended, or was stopped. */
static struct seat *
find(struct crew *crew, pid_t pid)
{
	for (struct seat *seat = crew->seats; seat < crew->seats + crew->count; seat++)
		if (seat->child.pid == pid && !seat->child.waited)
			return seat;
	return NULL; /* a child of who became us */
}

/* What wait(2) said of the seat's job: 1 when it is over. */
static int
is_over(struct crew *crew, struct seat *seat, int status)
{
	if (WIFSTOPPED(status)) {
		if (WSTOPSIG(status) == SIGTTIN || WSTOPSIG(status) == SIGTTOU) {
			seat->terminal = 1;
			child_signal(&seat->child, SIGKILL);
		}
		return 0;
	}
	seat->child.status = status;
	if (!seat->ended || kill(-seat->child.pid, 0) != 0)
		return 1;
	seat->child.waited = 1;
	crew->lingering++;
	return 0;
}

struct seat *
crew_reap(struct crew *crew)
{
	struct seat *seat = reap_lingering(crew);
	int status;
	pid_t pid;

	if (seat != NULL)
		return seat;
	for (;;) {
		do
			pid = waitpid(-1, &status, WNOHANG | WUNTRACED);
		while (pid < 0 && errno == EINTR);
		if (pid <= 0)
			return NULL;
		if ((seat = find(crew, pid)) != NULL && is_over(crew, seat, status))
			return leave(crew, seat);
	}
}

void
crew_end(struct crew *crew, struct seat *seat)
{
	seat->ended = 1;
	seat->limit = 0;
	child_end(&seat->child, crew->grace);
}

long long
crew_wait_ms(struct crew *crew)
{
	long long wait = -1;

	if (crew->running == 0)
		return -1;
	for (struct seat *seat = crew->seats; seat < crew->seats + crew->count; seat++) {
		if (seat->child.pid == 0)
			continue;
		if (seat->limit != 0 && clock_wait_ms(seat->limit) == 0) {
			seat->late = 1;
			crew_end(crew, seat);
		}
		if (seat->limit != 0)
			wait = clock_sooner(wait, clock_wait_ms(seat->limit));
		wait = clock_sooner(wait, child_wait_ms(&seat->child, crew->grace));
		if (seat->child.waited)
			wait = clock_sooner(wait, LOOK);
	}
	return wait;
}

void
crew_signal(struct crew *crew, int sig)
{
	for (struct seat *seat = crew->seats; seat < crew->seats + crew->count; seat++)
		if (seat->child.pid != 0)
			child_signal(&seat->child, sig);
}
