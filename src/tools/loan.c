/*
 * Three processes, so that there are two when one is killed:
 *
 * - the borrower, which is tokget, hands on signals, and has the status in the end;
 * - the guard leads the group of the command. It starts that, and ends it when the lender has not
 *   said in time that the token is ours still, or was killed;
 * - the lender (lender.c) has the connection. It ends the command when the guard was killed.
 *
 * The place gives the token to another two beats after the guard has sent TERM: see lender.h.
 */
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
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/orders.h"
#include "../lib/outbox.h"
#include "../lib/status.h"
#include "../places/beat.h"
#include "lender.h"
#include "loan.h"
#include "wish.h"

enum { BITE = 4096, READ = 0, WRITE = 1, LEAST = 10 /* number of the lease */ };

struct borrower {
	const struct wish *wish;
	const char *host, *fifo;
	char **argv;
	long beat;
	int lease[2], guards[2], ticks[2], news[2]; /* pipes: see lender.h */
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
	struct lender terms = {.host = b->host, .fifo = b->fifo, .beat = b->beat};

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

static void
set_labels(struct borrower *b)
{
	struct outbox labels = {0};
	char *line;

	while ((line = next_line(b)) != NULL && strcmp(line, "@") != 0)
		outbox_say(&labels, "%s%s", outbox_waits(&labels) > 0 ? "\n" : "", line);
	outbox_add(&labels, "", 1);
	if (line == NULL || labels.lost)
		fail(STATUS_GONE, "%s:%s: who asked there was killed", b->host, b->fifo);
	set_variable("JOBCTL_LABEL", outbox_bytes(&labels));
	outbox_drop(&labels);
}

/* 1 when the token is ours; 0 and the status to exit with. Exits where nobody could ask there. A
   signal ends us, and so the wish. */
static int
hear_grant(struct borrower *b, int *status)
{
	char *line = next_line(b), *rest = line == NULL ? NULL : strchr(line, ' ');

	if (rest == NULL)
		fail(STATUS_GONE, "%s:%s: who asked there was killed", b->host, b->fifo);
	*rest++ = '\0';
	if (strcmp(line, "granted") == 0) {
		set_variable("JOBCTL_SLOT", rest);
		set_labels(b);
		return 1;
	}
	if (strcmp(line, "status") != 0)
		fail(STATUS_GONE, "%s:%s: not asked: %s", b->host, b->fifo, rest);
	*status = (int)strtol(rest, NULL, 10);
	if (*status == STATUS_NO_TOKEN)
		*status = b->wish->no_token;
	return 0;
}

/* The guard. */

struct guard {
	const struct borrower *b;
	pid_t command;
	long long limit;       /* when the token may be another's, if nothing else is heard */
	int lost;
};

/* What the lender has said; its end is a loss. */
static void
hear_ticks(struct guard *g)
{
	long long time;
	ssize_t n;

	while (!g->lost && descriptors_poll(g->b->ticks[READ], POLLIN, 0) != 0) {
		n = read(g->b->ticks[READ], &time, sizeof time);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == (ssize_t)sizeof time && time > 0)
			g->limit = time + lender_limit(g->b->beat);
		else
			g->limit = 0;
		if (g->limit == 0)
			return;
	}
}

/* Where the time is over the command is sent TERM, and then KILL. That ends the guard, too. */
static void
keep_time(struct guard *g)
{
	static const char why[] = "lost no answer came in time\n";
	ssize_t n;

	if (clock_wait_ms(g->limit) > 0)
		return;
	if (g->lost) {
		kill(0, SIGKILL);
		return;
	}
	n = write(g->b->news[WRITE], why, sizeof why - 1);
	g->lost = n != 0;
	g->limit = clock_now() + lender_grace(g->b->beat);
	if (g->command > 0) {
		kill(0, SIGTERM);
		kill(0, SIGCONT);
	}
}

/* The command has our descriptors and the lease; what we catch has its default there. */
static void
start_command(struct guard *g)
{
	const struct borrower *b = g->b;
	sigset_t defaults;
	struct child_setup setup = {.in = -1, .out = -1, .err = -1, .mask = &b->mask,
	    .shut = b->wish->oflag ? b->lease[WRITE] : -1,
	    .defaults = b->defaults ? &defaults : NULL};
	int error;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	if ((error = child_spawn(&g->command, b->argv, &setup)) != 0) {
		errno = error;
		complain("%s:", b->argv[0]);
		_exit(error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
	}
}

/* The group of the command is told, and so are we. */
static void
let_pass(int sig)
{
	(void)sig;
}

/* 1 when the command has ended. One that wants to read the terminal would wait for ever: who runs
   there is not in its group. */
static int
has_ended(const struct guard *g, int *status)
{
	while (waitpid(g->command, status, WNOHANG | WUNTRACED) == g->command) {
		if (!WIFSTOPPED(*status))
			return 1;
		if (WSTOPSIG(*status) != SIGTTIN && WSTOPSIG(*status) != SIGTTOU)
			continue;
		complain("%s:%s: %s: killed, for it wants the terminal; it needs other input, "
		    "such as </dev/null", g->b->host, g->b->fifo, g->b->argv[0]);
		kill(g->command, SIGKILL);
	}
	return 0;
}

static void
guard_run(const struct borrower *b)
{
	struct guard g = {.b = b, .limit = clock_now() + lender_limit(b->beat)};
	long pid = (long)getpid();
	struct timespec time;
	int status = 0;
	fd_set set;

	setpgid(0, 0);
	orders_catch(SIGTTIN, let_pass, 0);
	orders_catch(SIGTTOU, let_pass, 0);
	close(b->news[READ]);
	hear_ticks(&g);
	keep_time(&g);
	if (g.lost || write(b->guards[WRITE], &pid, sizeof pid) != (ssize_t)sizeof pid)
		_exit(STATUS_LOST);
	start_command(&g);
	while (!has_ended(&g, &status)) {
		FD_ZERO(&set);
		if (!g.lost)
			FD_SET(b->ticks[READ], &set);
		time = clock_span(clock_wait_ms(g.limit));
		pselect(b->ticks[READ] + 1, &set, NULL, NULL, &time, &b->mask);
		hear_ticks(&g);
		keep_time(&g);
	}
	if (write(b->lease[WRITE], "C", 1) < 0 || g.lost)
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
	descriptors_close(&b->news[WRITE]);
}

/* What we are told is for the command. */
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
			if (pid == b->lender && WIFSIGNALED(status)) {
				kill(b->guard, SIGCONT); /* it shall hear of this */
			} else if (pid == b->guard) {
				if (WIFSIGNALED(status))
					kill(-b->guard, SIGKILL);
				b->guard = 0;
				b->status = status;
			}
	}
}

/* Until the token is home, or this takes too long: why it was lost, or NULL. */
static const char *
hear_end(struct borrower *b)
{
	long long until = clock_now() + beat_patience(b->beat, lender_grace(b->beat));
	const char *line;

	while (descriptors_poll(b->news[READ], POLLIN, (int)clock_wait_ms(until)) != 0 &&
	    (line = next_line(b)) != NULL)
		if (strncmp(line, "lost ", 5) == 0)
			return line + 5;
	return NULL;
}

int
loan_run(const struct wish *wish, const char *host, const char *fifo, long beat, char **argv)
{
	struct borrower b = {.wish = wish, .host = host, .fifo = fifo, .argv = argv, .beat = beat};
	const char *why;
	int status;

	start_lender(&b);
	if (!hear_grant(&b, &status))
		return status;
	start_guard(&b);
	wait_for_guard(&b);
	why = hear_end(&b);
	if (WIFSIGNALED(b.status))
		why = why != NULL ? why : "what guards the command was killed";
	else if (WEXITSTATUS(b.status) != STATUS_LOST)
		return WEXITSTATUS(b.status);
	if (why != NULL)
		complain("%s:%s: lost: %s; the command was ended", host, fifo, why);
	return STATUS_LOST;
}
