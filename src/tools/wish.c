#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

enum {
	AGAIN = 20,         /* ms until we look again for a dispenser */
	AGAIN_MOST = 200,   /* ms, once that is no longer soon */
	RESTART = 2000,     /* ms in which one that was killed may come back */
	RETURN = 200,       /* the same, where a command may do without */
	SLOW = 60000,       /* ms in which one that has begun may open its inlet */
	UNPROVED = 10,      /* answers that gave no lease: enough */
	REST = (OUTBOX_PIPE < 4096 ? OUTBOX_PIPE : 4096) - ASKING_HEAD
};

/* Waits until tokend -b is ready, or has failed: its status. */
static int
start_dispenser(const struct wish *wish, int loud)
{
	char *argv[] = {"tokend", "-b", "-x", "10", "-n", (char *)wish->start, "--",
	    (char *)wish->fifo, NULL};
	struct child_setup setup = {.in = -1, .out = -1, .err = -1};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), status;
	pid_t child;

	setup.err = loud ? -1 : null;
	status = child_spawn(&child, argv, &setup) != 0 ? STATUS_NOT_FOUND : child_outcome(child);
	descriptors_close(&null);
	if (status == STATUS_NOT_FOUND || status == STATUS_CANNOT_RUN)
		fail(STATUS_TROUBLE, "tokend: not on PATH, or cannot be run");
	return status;
}

static int
is_late(const struct wish *wish)
{
	return wish->until >= 0 && clock_now() >= wish->until;
}

/* Exits: there is no answer yet, which with -n is strange. */
static void
end_late(const struct wish *wish)
{
	if (wish->now && !is_late(wish))
		inlet_fail(wish->fifo, wish->no_token);
	exit(wish->no_token);
}

/* How long we wait for an answer: with -n it comes at once. */
static long long
answer_until(const struct wish *wish)
{
	long long soon = inlet_soon();

	return !wish->now || (wish->until >= 0 && wish->until < soon) ? wish->until : soon;
}

/* Exits for want of a dispenser, unless the command may run without a token. */
static void
do_without(const struct wish *wish, const char *why)
{
	if (wish->without && wish->most > 0)
		announce_jobs(wish->most);
	if (wish->without)
		exit(command_exec(wish->command));
	fail(STATUS_GONE, "%s: %s", wish->fifo, why);
}

/* Where a dispenser is not there that is all, unless one may still come: by -N, or a restart of
   one whose files are there. since is when we missed it first. */
static void
miss_dispenser(const struct wish *wish, int reason, long long *since, long patience)
{
	long long now = clock_now(), missed_for;
	int status;

	if (*since < 0)
		*since = now;
	missed_for = now - *since;
	if (wish->start != NULL) {
		/* One of many that start at once wins. That another one was quicker is no news,
		   however long it takes on a busy machine to open its inlet. */
		status = start_dispenser(wish, 0);
		if (status != 0 && missed_for >= (status == STATUS_GONE ? SLOW : RESTART) &&
		    start_dispenser(wish, 1) != 0)
			exit(STATUS_TROUBLE);
	} else if (missed_for >= patience || reason == ENOENT)
		do_without(wish, "no tokend runs there: to start one, write tokget -N 4, or run "
		    "tokend -b -n 4");
	clock_pause(missed_for < AGAIN_MOST ? AGAIN : AGAIN_MOST);
}

static int
refused(const struct wish *wish, const char *reason)
{
	int closing = strcmp(reason, "closing") == 0, all = strcmp(wish->count, "all") == 0;

	if (strcmp(reason, "busy") == 0 || (closing && wish->start != NULL))
		return wish->no_token; /* with -N there will be another one, but not in time */
	if (closing || strcmp(reason, "stopped") == 0) /* with -N too: else that would undo it */
		do_without(wish, closing ? "its tokend is closing" : "its tokend was stopped");
	if (strcmp(reason, "many") == 0)
		fail(STATUS_TROUBLE, all ? "%s: -k %s: the pool has more than %d tokens"
		    : "%s: -k %s: the pool has fewer tokens", wish->fifo, wish->count,
		    MOST_AT_ONCE);
	if (strcmp(reason, "lease") == 0)
		fail(STATUS_TROUBLE, "%s: its tokend cannot make a lease: look at the "
		    "permissions and the disk of %s.d", wish->fifo, wish->fifo);
	if (strcmp(reason, "attendant") == 0)
		fail(STATUS_TROUBLE, "%s: its tokend serves one script only", wish->fifo);
	fail(STATUS_TROUBLE, "%s: too many wait there", wish->fifo);
	return STATUS_TROUBLE;
}

static void
give_up(const struct wish *wish)
{
	fail(STATUS_TROUBLE, "%s: it is no tokend that answers, or one of an older version: stop "
	    "it with tokstop, and start it again", wish->fifo);
}

enum { LOAN = 3 }; /* what we wait for is not needed any more */

/* The number of tokens that are asked for, at least; "all" are as many as there are. */
static long
least_of(const struct wish *wish, const struct borrow *loan)
{
	if (strcmp(wish->count, "all") == 0)
		return loan->held.size == loan->held.count ? loan->held.count : LONG_MAX;
	return strtol(wish->asks, NULL, 10);
}

static int
take_loan(const struct wish *wish, struct grant *grant)
{
	struct borrow *loan = &grant->loan;
	long least = least_of(wish, loan);

	if (borrow_take(loan, least, wish->own > least ? wish->own : least) != 0)
		return -1;
	grant->tokens = loan->taken;
	grant->size = loan->held.size;
	grant->path = loan->held.lease;
	if (loan->into >= 0 && wish->style != ANNOUNCE_NOTHING)
		snprintf(grant->build, sizeof grant->build, "%s", loan->held.lease);
	return 0;
}

/* The first line of an answer, with the results of asking_line(), or LOAN. A token that is given as
   the time ends is taken. */
static int
first_line(struct asking *a, const struct wish *wish, struct grant *grant, char *line, size_t size)
{
	struct borrow *loan = &grant->loan;
	int got;

	do {
		a->others = loan->may ? loan->watch : NULL;
		a->watching = loan->watching;
		got = asking_line(a, line, size, answer_until(wish));
		if (got == 2 && take_loan(wish, grant) == 0)
			got = LOAN;
	} while (got == 2);
	a->others = NULL;
	a->watching = 0;
	while (got == 0 || got == LOAN || (got == 1 && strcmp(line, "no again") == 0)) {
		if (asking_withdraw(a) == 0)
			return got == 1 ? -1 : got;
		if (got == LOAN)
			borrow_return(loan);
		got = asking_line(a, line, size, -1);
	}
	return got;
}

/* There will be no other token: LOAN; 0: the time was over first, or the lease came home. */
static int
wait_for_loan(const struct wish *wish, struct grant *grant)
{
	const struct borrow *loan = &grant->loan;
	int took = 0;

	while (loan->may && !is_late(wish) && !(took = take_loan(wish, grant) == 0))
		inlet_watch(-1, -1, loan->watch, loan->watching,
		    wish->until < 0 ? -1 : clock_wait_ms(wish->until));
	return took ? LOAN : 0;
}

/* One answer: 0 when the token is ours, -1 when the dispenser went away or says "again", or LOAN;
   exits where there will be no token. */
static int
hear(struct asking *a, const struct wish *wish, struct grant *grant)
{
	char line[2048], *size;
	long count;
	int got = first_line(a, wish, grant, line, sizeof line);
	int no = got == 1 && strncmp(line, "no ", 3) == 0;

	if (got == LOAN)
		return LOAN;
	if (no && wish->start != NULL && strcmp(line + 3, "closing") == 0 && !wish->now &&
	    !is_late(wish)) {
		clock_pause(AGAIN);
		return -1; /* it ends: another one is started */
	}
	if (no && !wish->now && wait_for_loan(wish, grant) == LOAN)
		return LOAN;
	if (got == 0 || no) {
		asking_close(a);
		if (got == 0)
			end_late(wish);
		exit(is_late(wish) || (grant->loan.may && wish->now) ? wish->no_token
		    : refused(wish, line + 3));
	}
	if (got < 0 || strncmp(line, "ok ", 3) != 0 || (count = strtol(line + 3, &size, 10)) < 1)
		return -1;
	grant->size = strtol(size, &size, 10);
	grant->tells = strcmp(size, " +") == 0;
	grant->build[0] = '\0';
	if (!grant->tells && grant->size > 0 && *size == ' ')
		strcpy(grant->build, size + 1);
	if (grant->build[0] != '\0' && !makeflags_carries(grant->build))
		give_up(wish);
	got = asking_tokens(a, &grant->tokens, count, -1);
	if (got > 0)
		give_up(wish);
	return got;
}

static void
open_asking(struct asking *a, const struct wish *wish, long long *missed, long patience)
{
	while (asking_open(a, wish->fifo) != 0) {
		if (is_late(wish))
			exit(wish->no_token);
		miss_dispenser(wish, errno, missed, patience);
	}
}

/* Tells the dispenser of the start, as the shell of -l does itself; one that takes over wants no
   such news. Tells the user of -N, where somebody else has started the pool. */
static void
tell_granted(struct asking *a, const struct wish *wish, const struct grant *grant)
{
	char slot[24];

	snprintf(slot, sizeof slot, "%ld", strtol(grant->tokens.slots, NULL, 10));
	if (grant->tells && !wish->lflag)
		asking_send(a, "begun", slot, -1);
	if (wish->start != NULL && grant->size != 0 && wish->size != grant->size)
		complain("%s: -N %s: this pool exists, with %ld token%s, not %ld", wish->fifo,
		    wish->start, grant->size, grant->size == 1 ? "" : "s", wish->size);
}

/* A request that could wait for itself is refused, unless it does not wait for ever. */
static void
check_held(const struct wish *wish, const struct borrow *loan)
{
	if (loan->may && least_of(wish, loan) > borrow_most(loan))
		fail(STATUS_TROUBLE, "%s: this %s runs with fewer tokens of that pool than -k %s, "
		    "and could wait for ever: %s", wish->fifo, loan->job ? "job of a build"
		    : "command", wish->count, loan->job ? "start it before the build"
		    : "take them in the tokget around it");
	if (wish->now || wish->until >= 0)
		return;
	if (loan->may && wish->lflag)
		fail(STATUS_TROUBLE, "%s: -l: this command runs with a token of that pool, and "
		    "could wait for itself: write a command, which borrows that token",
		    wish->fifo);
	if (loan->may && loan->job && wish->bflag)
		fail(STATUS_TROUBLE, "%s: -b: this is a job of a build, which would use the token "
		    "again while the command runs: leave out -b, or start the command before "
		    "the build", wish->fifo);
}

/* Writes the request: 0, or -1 as asking_send(). The command comes first, in a line of its own: a
   dispenser of before does not know it. */
static int
send_request(struct asking *a, const struct wish *wish)
{
	struct outbox command = {0};
	char most[24] = "", get[96], rest[REST];
	int length;

	if (wish->most > 0)
		snprintf(most, sizeof most, "%ld", wish->most);
	snprintf(get, sizeof get, "%s %s %s%s%s%s", wish->asks, wish->priority,
	    wish->now ? "n" : "-",
	    wish->lflag ? "l" : wish->style != ANNOUNCE_NOTHING ? "j" : "",
	    wish->xflag || wish->lflag ? "s" : "", most);
	if (wish->command == NULL)
		return asking_send(a, "get", get, answer_until(wish));
	quote_words(&command, wish->command);
	length = (int)utf8_cut(outbox_text(&command), sizeof rest - sizeof get - NAMES_FILE);
	snprintf(rest, sizeof rest, "%.*s", length, outbox_text(&command));
	outbox_drop(&command);
	for (char *p = rest; *p != '\0'; p++) /* it is one line */
		*p = *p == '@' ? WORDS_AT : (unsigned char)*p < ' ' || *p == 127 ? ' ' : *p;
	snprintf(rest + length, sizeof rest - (size_t)length, "\n@get %s %s", a->name, get);
	return asking_send(a, "runs", rest, answer_until(wish));
}

int
wish_take(const struct wish *wish, struct grant *grant)
{
	struct asking a = {0};
	long long missed = -1;
	long patience = wish->without ? RETURN : RESTART;
	int heard = -1, unproved = 0;

	borrow_open(&grant->loan, wish->fifo);
	check_held(wish, &grant->loan);
	if (wish->lflag || (wish->bflag && grant->loan.job))
		grant->loan.may = 0; /* it would not be known when it ends */
	for (;;) {
		if (take_loan(wish, grant) == 0)
			return -1;
		open_asking(&a, wish, &missed, patience);
		if (send_request(&a, wish) == 0) {
			missed = -1;
			patience = RESTART;
			heard = hear(&a, wish, grant);
			if (heard == 0 &&
			    (grant->path = asking_given(&a, grant->tokens.slots)) != NULL) {
				tell_granted(&a, wish, grant);
				return asking_keep(&a);
			}
			if (heard == 0 && ++unproved == UNPROVED)
				give_up(wish);
		} else if (errno == ETIMEDOUT) {
			asking_close(&a);
			end_late(wish);
		}
		asking_close(&a);
		if (heard == LOAN)
			return -1;
	}
}
