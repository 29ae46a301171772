#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "jobctl.h"

enum { VARIABLES = 4, VARIABLE_ROOM = 48 };
enum { LOOK = 20 }; /* ms between two looks at a group */

/* stty tostop is for jobs in the background, and only the kernel takes ours for such: they may
   write. Else they may not set the terminal, and one that then waits there leaves it as it is. */
static void
let_write(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	struct termios terminal;

	if (fd >= 0 && tcgetattr(fd, &terminal) == 0 && (terminal.c_lflag & TOSTOP))
		signal(SIGTTOU, SIG_IGN);
	descriptors_close(&fd);
}

static struct crew *ours;

static void
end_all(void)
{
	crew_signal(ours, SIGTERM);
}

void
crew_open(struct crew *crew, long count, char **labels, const sigset_t *mask)
{
	static const char *const names[VARIABLES] = {"JOBCTL_ID=", "JOBCTL_SLOT=", "JOBCTL_TRY=",
	    "JOBCTL_LABEL="};

	*crew = (struct crew){.labels = labels, .mask = *mask};
	let_write();
	crew->environment = need_memory(child_environment(names, VARIABLES, &crew->own));
	crew_resize(crew, count);
	if ((crew->null = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	ours = crew;
	atexit(end_all);
}

void
crew_resize(struct crew *crew, long count)
{
	if (count >= crew->room)
		crew->seats = need_memory(realloc(crew->seats,
		    (size_t)(count + 1) * sizeof *crew->seats));
	for (; crew->room < count; crew->room++)
		crew->seats[crew->room] = (struct seat){.number = crew->room + 1};
	crew->count = count;
}

/* -1 for a seat without a place, or one that is taken. */
static long long
seat_wait_ms(const struct crew *crew, const struct seat *seat)
{
	long long rest = sites_wait_ms(crew->sites, seat->number);
	long long pace = pace_wait_ms(&crew->pace, &seat->turn);

	return seat->child.pid != 0 ? -1 : rest < 0 || rest > pace ? rest : pace;
}

long long
crew_free_ms(const struct crew *crew)
{
	const struct seat *seat = crew->seats, *end = seat + crew->count;
	long long wait = -1;

	for (; crew->running < crew->count && seat < end && wait != 0; seat++)
		wait = clock_sooner(wait, seat_wait_ms(crew, seat));
	return wait;
}

struct seat *
crew_seat(struct crew *crew)
{
	struct seat *seat = crew->seats;

	while (seat_wait_ms(crew, seat) != 0)
		seat++;
	return seat;
}

/* By exec a signal that we catch has its default in the job; one that we ignore must be told. */
int
crew_start(struct crew *crew, struct seat *seat, struct job *job, char **argv)
{
	char text[VARIABLES - 1][VARIABLE_ROOM], label[1100];
	struct child_setup setup = {.in = crew->null, .out = job->output.fd[0],
	    .err = job->output.fd[1], .leads = 1, .mask = &crew->mask,
	    .defaults = (const int[]){SIGPIPE, SIGXFSZ, 0}, .environment = crew->environment};
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
	if ((error = child_spawn(&pid, argv, &setup)) != 0)
		return error;
	crew->running++;
	crew->begun++;
	seat->child = (struct child){.pid = pid};
	seat->job = job;
	seat->ended = seat->late = seat->why = 0;
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
	return seat;
}

/* Takes the status that wait(2) gave for the seat's job: 1 when it is over. */
static int
is_over(struct crew *crew, struct seat *seat, int status)
{
	if (WIFSTOPPED(status)) {
		if (WSTOPSIG(status) == SIGTTIN || WSTOPSIG(status) == SIGTTOU) {
			seat->why = WSTOPSIG(status) == SIGTTIN ? 'r' : 'c';
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

/* A job that we ended is over when its group is: there may be more in it than the process that
   we waited for, if only zombies that nobody waits for. Until they are killed the number is the
   group's. */
struct seat *
crew_reap(struct crew *crew)
{
	struct seat *seat, *end = crew->seats + crew->room;
	int status;
	pid_t pid;

	for (seat = crew->seats; crew->lingering > 0 && seat < end; seat++) {
		if (seat->child.pid == 0 || !seat->child.waited ||
		    (seat->child.stage != CHILD_KILLED && kill(-seat->child.pid, 0) == 0))
			continue;
		crew->lingering--;
		return leave(crew, seat);
	}
	for (;;) {
		do
			pid = waitpid(-1, &status, WNOHANG | WUNTRACED);
		while (pid < 0 && errno == EINTR);
		if (pid <= 0)
			return NULL;
		for (seat = crew->seats; seat < end; seat++)
			if (seat->child.pid == pid && !seat->child.waited &&
			    is_over(crew, seat, status))
				return leave(crew, seat); /* else a child of who became us */
	}
}

/* At a place the job has its grace; jobat, here, knows when it has ended. */
static long long
grace_of(const struct crew *crew, const struct seat *seat)
{
	return sites_far(crew->sites, seat->number) ? crew->grace + crew->sites->patience
	    : crew->grace;
}

void
crew_end(struct crew *crew, struct seat *seat)
{
	seat->ended = 1;
	seat->limit = 0;
	child_end(&seat->child, grace_of(crew, seat));
}

long long
crew_wait_ms(struct crew *crew)
{
	long long wait = -1;

	if (crew->running == 0)
		return -1;
	for (struct seat *seat = crew->seats; seat < crew->seats + crew->room; seat++) {
		if (seat->child.pid == 0)
			continue;
		if (seat->limit != 0 && clock_wait_ms(seat->limit) == 0) {
			seat->late = 1;
			crew_end(crew, seat);
		}
		if (seat->limit != 0)
			wait = clock_sooner(wait, clock_wait_ms(seat->limit));
		wait = clock_sooner(wait, child_wait_ms(&seat->child, grace_of(crew, seat)));
		if (seat->child.waited)
			wait = clock_sooner(wait, LOOK);
	}
	return wait;
}

void
crew_signal(struct crew *crew, int sig)
{
	for (struct seat *seat = crew->seats; seat < crew->seats + crew->room; seat++)
		if (seat->child.pid != 0)
			child_signal(&seat->child, sig);
}
