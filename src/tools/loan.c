/*
 * Three processes, so that there are two when one is killed:
 *
 * - the borrower, which is tokget, hands on signals, and has the status in the end. When it is
 *   killed the command is ended;
 * - the guard leads the group of the command. It starts that, and ends it when the lender has not
 *   said in time that the token is ours still, or was killed;
 * - the lender (lender.c) has the connection. It ends the command when the guard was killed, or is
 *   late.
 *
 * The place gives the token to another two beats after the guard has sent TERM: see lender.h.
 */
#if defined __linux__ && !defined PORTABLE
#include <sys/prctl.h>
#endif
#include <sys/select.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/background.h"
#include "../lib/child.h"
#include "../lib/clock.h"
#include "../lib/command.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/orders.h"
#include "../lib/outbox.h"
#include "../lib/status.h"
#include "brood.h"
#include "lender.h"
#include "loan.h"
#include "wish.h"

enum {
	READ = 0, WRITE = 1,   /* ends of a pipe */
	BITE = 4096,
	LEAST = 10,            /* number of the lease */
	SOON = 20,             /* ms until we look again for who was sent KILL */
	HOME = 10000,          /* ms in which the token comes home, or 5 beats if that is less */
	GRACE = 500,           /* ms in which we hear why it was lost */
	LOOK = 100
};

struct borrower {
	const struct wish *wish;
	const char *host, *fifo;
	char **argv;
	long beat_ms;
	int lease[2], guards[2], ticks[2], news[2]; /* pipes: see lender.h */
	int life[2];           /* a pipe: the guard sees our end */
	struct outbox heard;   /* news */
	pid_t lender, guard;   /* guard 0: none, or it was waited for */
	int status;            /* of the guard, as of wait(2) */
	int defaults;          /* SIGPIPE was not ignored */
	sigset_t mask;
};

static void
open_pipe(int ends[2], int ours)
{
	if (descriptors_pipe(ends, ours) != 0)
		fail(STATUS_TROUBLE, "pipe:");
}

static void
start_lender(struct borrower *b)
{
	struct lender terms = {.host = b->host, .fifo = b->fifo, .beat_ms = b->beat_ms};

	open_pipe(b->lease, READ);
	open_pipe(b->guards, READ);
	open_pipe(b->ticks, WRITE);
	open_pipe(b->news, -1);
	if ((b->lender = fork()) < 0)
		fail(STATUS_TROUBLE, "fork:");
	if (b->lender == 0) {
		setsid();
		background_leave(STDOUT_FILENO);
		signal(SIGPIPE, SIG_IGN);
		signal(SIGCHLD, SIG_DFL);
		close(b->lease[WRITE]);
		close(b->guards[WRITE]);
		close(b->ticks[READ]);
		close(b->news[READ]);
		terms.lease = b->lease[READ];
		terms.guard = b->guards[READ];
		terms.ticks = b->ticks[WRITE];
		terms.news = b->news[WRITE];
		lender_run(&terms, b->wish);
		_exit(STATUS_DONE);
	}
	descriptors_close(&b->lease[READ]);
	descriptors_close(&b->guards[READ]);
	descriptors_close(&b->ticks[WRITE]);
	descriptors_close(&b->news[WRITE]);
}

/* One more line of news, ended by '\0', until the next call; NULL at the end. */
static char *
next_line(struct borrower *b)
{
	char *line, *end;

	while ((end = memchr(outbox_bytes(&b->heard), '\n', outbox_waits(&b->heard))) == NULL)
		if (outbox_read(&b->heard, b->news[READ], BITE) <= 0)
			return NULL;
	*end = '\0';
	line = (char *)outbox_bytes(&b->heard);
	outbox_take(&b->heard, (size_t)(end + 1 - line));
	return line;
}

static void
set_variable(const char *name, const char *value)
{
	if (setenv(name, value, 1) != 0)
		fail(STATUS_TROUBLE, "environment:");
}

/* Their numbers, separated by blanks. */
static void
set_slots(const char *slots)
{
	char count[24];
	long n = 1;

	for (const char *at = slots; (at = strchr(at, ' ')) != NULL; at++)
		n++;
	snprintf(count, sizeof count, "%ld", n);
	set_variable("JOBCTL_SLOT", slots);
	set_variable("JOBCTL_COUNT", count);
}

/* Labels end at a NUL, and the newline before it is none of theirs. */
static void
set_labels(struct borrower *b)
{
	char *text, *end;

	while ((end = memchr(outbox_bytes(&b->heard), '\0', outbox_waits(&b->heard))) == NULL)
		if (outbox_read(&b->heard, b->news[READ], BITE) <= 0)
			fail(STATUS_GONE, "%s:%s: no token: the process that asked was killed",
			    b->host, b->fifo);
	text = (char *)outbox_bytes(&b->heard);
	if (end > text)
		end[-1] = '\0';
	set_variable("JOBCTL_LABEL", text);
	outbox_take(&b->heard, (size_t)(end + 1 - text));
}

/* 1 when the token is ours; 0 and the status to exit with. Exits where nobody could ask there. A
   signal ends us, and so the wish. */
static int
hear_grant(struct borrower *b, int *status)
{
	char *line = next_line(b), *rest = line == NULL ? NULL : strchr(line, ' ');

	if (rest == NULL)
		fail(STATUS_GONE, "%s:%s: no token: the process that asked was killed", b->host,
		    b->fifo);
	*rest++ = '\0';
	if (strcmp(line, "granted") == 0) {
		set_slots(rest);
		set_labels(b);
		return 1;
	}
	if (strcmp(line, "status") != 0)
		fail(STATUS_GONE, "%s:%s: no token: %s", b->host, b->fifo, rest);
	*status = (int)strtol(rest, NULL, 10);
	if (*status == STATUS_NO_TOKEN)
		*status = b->wish->no_token;
	return 0;
}

/* The guard. */

enum { TICKS = STDIN_FILENO, LIFE = STDOUT_FILENO }; /* once the command has its own */

struct guard {
	const struct borrower *b;
	struct brood brood;
	long long limit;       /* when the token may be another's, if nothing else is heard */
	int ending;            /* TERM was sent */
};

/* Words of the lender; its end is a loss. */
static void
hear_ticks(struct guard *g, int fd)
{
	long long time, now = clock_now();
	ssize_t n;

	while (!g->ending && descriptors_poll(fd, POLLIN, 0) != 0) {
		n = read(fd, &time, sizeof time);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == (ssize_t)sizeof time && time > 0)
			g->limit = time + lender_limit(g->b->beat_ms);
		else if (g->limit > now)
			g->limit = now;
		if (g->limit <= now)
			return;
	}
}

/* Where the time is over the command is sent TERM, and then KILL. Our own end says so. */
static void
keep_time(struct guard *g)
{
	struct timespec soon = clock_span(SOON);

	if (clock_wait_ms(g->limit) > 0)
		return;
	g->limit += lender_grace(g->b->beat_ms);
	if (!g->ending && clock_wait_ms(g->limit) > 0) {
		g->ending = 1;
		brood_signal(&g->brood, SIGTERM);
		return;
	}
	while (brood_signal(&g->brood, SIGKILL) > 0) {
		nanosleep(&soon, NULL);
		waitpid(g->brood.command, NULL, WNOHANG);
	}
	kill(getpid(), SIGKILL);
}

/* SIGTTIN and SIGTTOU come to the whole group, and are not to stop the guard. */
static void
let_pass(int sig)
{
	(void)sig;
}

/* The command has our descriptors and the lease; what we catch has its default there. */
static void
become_command(const struct borrower *b, pid_t guard)
{
#if defined __linux__ && !defined PORTABLE
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* should all three of us be killed at once */
	if (getppid() != guard)
		raise(SIGKILL);
#endif
	(void)guard;
	if (b->wish->oflag)
		close(b->lease[WRITE]);
	if (b->defaults)
		signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, &b->mask, NULL);
	command_exec(b->argv);
}

/* Its descriptors are not ours: those that we wait for go where its input and output were. */
static void
start_command(struct guard *g)
{
	const struct borrower *b = g->b;
	const int ours[] = {b->lease[WRITE], b->guards[WRITE]};
	pid_t guard = getpid(), pid = fork();
	long told = (long)pid;

	if (pid < 0)
		fail(STATUS_TROUBLE, "fork:");
	if (pid == 0)
		become_command(b, guard);
	g->brood.command = pid;
	if (write(b->guards[WRITE], &told, sizeof told) < 0)
		g->limit = 0; /* the lender has gone */
	signal(SIGTTOU, SIG_IGN); /* for messages */
	if (dup2(b->ticks[READ], TICKS) < 0 || dup2(b->life[READ], LIFE) < 0)
		fail(STATUS_TROUBLE, "descriptors:");
	background_close_others(ours, sizeof ours / sizeof *ours);
}

/* 1 when the command has ended. One that wants to read the terminal would wait for ever: who runs
   there is not in its group. */
static int
has_ended(const struct guard *g, int *status)
{
	const struct borrower *b = g->b;

	while (waitpid(g->brood.command, status, WNOHANG | WUNTRACED) == g->brood.command) {
		if (!WIFSTOPPED(*status))
			return 1;
		if (WSTOPSIG(*status) != SIGTTIN && WSTOPSIG(*status) != SIGTTOU)
			continue;
		complain("%s:%s: %s: killed: it wants the terminal, and must have other input and "
		    "output, such as </dev/null", b->host, b->fifo, b->argv[0]);
		kill(g->brood.command, SIGKILL);
	}
	return 0;
}

/* Signals for the group are for the command, too, where it has left that, as timeout(1) does. */
static void
pass_to_command(const struct guard *g, int *interrupts)
{
	int sig = orders_end;

	orders_end = 0;
	if (*interrupts < orders_interrupts)
		sig = SIGINT;
	*interrupts = orders_interrupts;
	if (sig != 0 && getpgid(g->brood.command) != getpid())
		kill(g->brood.command, sig);
}

static void
wait_for_command(struct guard *g, int *status)
{
	struct timespec time;
	int interrupts = 0;
	fd_set set;

	while (!has_ended(g, status)) {
		FD_ZERO(&set);
		if (!g->ending) {
			FD_SET(TICKS, &set);
			FD_SET(LIFE, &set);
		}
		time = clock_span(clock_wait_ms(g->limit));
		if (pselect(LIFE + 1, &set, NULL, NULL, &time, &g->b->mask) < 0)
			FD_ZERO(&set);
		if (FD_ISSET(LIFE, &set) && g->limit > clock_now())
			g->limit = clock_now(); /* tokget was killed */
		pass_to_command(g, &interrupts);
		hear_ticks(g, TICKS);
		keep_time(g);
	}
}

static void
guard_run(const struct borrower *b)
{
	struct guard g = {.b = b, .brood.group = getpid(),
	    .limit = clock_now() + lender_limit(b->beat_ms)};
	long pid = (long)getpid();
	int status = 0;

	setpgid(0, 0);
	orders_interrupts = orders_end = 0;
	orders_catch(SIGTTIN, let_pass, 0);
	orders_catch(SIGTTOU, let_pass, 0);
	close(b->life[WRITE]);
	hear_ticks(&g, b->ticks[READ]);
	if (clock_wait_ms(g.limit) == 0 ||
	    write(b->guards[WRITE], &pid, sizeof pid) != (ssize_t)sizeof pid)
		kill(getpid(), SIGKILL);
	start_command(&g);
	wait_for_command(&g, &status);
	while (g.ending) { /* its children may live on */
		clock_pause(clock_wait_ms(g.limit));
		keep_time(&g);
	}
	if (write(b->lease[WRITE], "C", 1) < 0)
		_exit(STATUS_LOST);
	_exit(child_code(status));
}

static void
start_guard(struct borrower *b)
{
	int lease = descriptors_lift(b->lease[WRITE], LEAST);

	if (lease < 0 || fcntl(lease, F_SETFD, 0) != 0)
		fail(STATUS_TROUBLE, "lease:");
	b->lease[WRITE] = lease;
	open_pipe(b->life, -1);
	b->defaults = orders_open(&b->mask);
	orders_hear_more();
	if ((b->guard = fork()) < 0)
		fail(STATUS_TROUBLE, "fork:");
	if (b->guard == 0)
		guard_run(b);
	setpgid(b->guard, b->guard); /* whoever is first */
	descriptors_close(&b->lease[WRITE]);
	descriptors_close(&b->guards[WRITE]);
	descriptors_close(&b->ticks[READ]);
	descriptors_close(&b->life[READ]);
}

/* Signals to us are for the command. */
static void
pass_on(const struct borrower *b, int *interrupts)
{
	int end = orders_end;

	for (; *interrupts < orders_interrupts; ++*interrupts)
		kill(-b->guard, SIGINT);
	for (; orders_more > 0; orders_more--)
		kill(-b->guard, SIGUSR1);
	for (; orders_more < 0; orders_more++)
		kill(-b->guard, SIGUSR2);
	if (end != 0)
		kill(-b->guard, end);
	orders_end = 0;
	if (!orders_suspend)
		return;
	orders_suspend = 0;
	kill(-b->guard, SIGTSTP);
	raise(SIGSTOP);
	kill(-b->guard, SIGCONT);
}

/* Until the guard has ended. Where it was killed nobody is to tell the command to end. */
static void
wait_for_guard(struct borrower *b)
{
	int interrupts = 0, status;
	pid_t pid;

	while (b->guard > 0) {
		pselect(0, NULL, NULL, NULL, NULL, &b->mask);
		pass_on(b, &interrupts);
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == b->lender && WIFSIGNALED(status) && b->guard > 0) {
				kill(b->guard, SIGCONT); /* it shall hear of this */
			} else if (pid == b->guard) {
				if (WIFSIGNALED(status))
					kill(-b->guard, SIGKILL);
				b->guard = 0;
				b->status = status;
			}
	}
}

/* Until the token is home: 0, and why it was lost, or NULL. -1 where a signal or time ends this. */
static int
hear_end(struct borrower *b, long long ms, const char **why)
{
	long long until = clock_now() + ms;
	const char *line;

	*why = NULL;
	orders_interrupts = 0;
	sigprocmask(SIG_SETMASK, &b->mask, NULL);
	while (orders_end == 0 && orders_interrupts == 0 && clock_wait_ms(until) > 0) {
		if (descriptors_poll(b->news[READ], POLLIN, LOOK) == 0)
			continue;
		if ((line = next_line(b)) == NULL)
			return 0;
		if (strncmp(line, "lost ", 5) == 0) {
			*why = line + 5;
			return 0;
		}
	}
	return -1;
}

/* The guard was killed: by itself, when it had ended the command, or by somebody else. */
static int
tell_loss(struct borrower *b)
{
	const char *why;
	int gone = hear_end(b, GRACE, &why) == 0;

	complain("%s:%s: lost: %s; the command was ended", b->host, b->fifo, why != NULL ? why
	    : gone ? "the process with the connection was killed" : "no answer came in time");
	return STATUS_LOST;
}

/* With the token. */
static int
run(struct borrower *b)
{
	const char *why;

	start_guard(b);
	wait_for_guard(b);
	if (WIFSIGNALED(b->status))
		return tell_loss(b);
	if (hear_end(b, b->beat_ms < HOME / 5 ? 5 * b->beat_ms : HOME, &why) != 0)
		complain("%s:%s: the token has not come back yet", b->host, b->fifo);
	return WEXITSTATUS(b->status);
}

int
loan_run(const struct wish *wish, const char *host, const char *fifo, long beat_ms, char **argv)
{
	struct borrower b = {.wish = wish, .host = host, .fifo = fifo, .argv = argv,
	    .beat_ms = beat_ms};
	struct outbox place = {0};
	int status;

	outbox_say(&place, "%s:%s", host, fifo);
	if (held_abroad(outbox_text(&place)) && !wish->now && wish->until < 0)
		fail(STATUS_TROUBLE, "%s: this command runs with a token of that pool, and could "
		    "wait for itself: leave tokget out here", place.bytes);
	if (held_say_abroad(outbox_text(&place)) != 0)
		fail(STATUS_TROUBLE, "environment:");
	outbox_drop(&place);
	start_lender(&b);
	if (hear_grant(&b, &status))
		status = run(&b);
	outbox_drop(&b.heard);
	return status;
}
