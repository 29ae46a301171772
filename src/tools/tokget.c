/*
 * tokget -- takes a token and runs a command with it.
 *
 * The token is out for as long as anybody has its lease open: this program, which stays as the
 * command's parent, the command, and what that has started. With -b a child of it stays, and it
 * returns when the command has started.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

#define USAGE \
	"usage: tokget [-bnox] [-E status] [-j style] [-J most] [-k count] [-N count]\n" \
	"              [-p priority] [-t seconds] [--without] FIFO command [arg...]\n" \
	"       tokget -l [-n] [-E status] [-N count] [-p priority] [-t seconds] FIFO"

enum { WITHOUT = 256, BEAT, FAR, GRANTED, REFUSED }; /* options without a letter */

#define NAMED "!the path of the FIFO is the name: tokget -N 4 ~/NAME.fifo COMMAND"
#define TIMED "!write -t SECONDS, which gives up: no token is taken by force"

static const struct option table[] = {
	{'n', "nonblock", NULL, "do not wait: exit with 124 if no token is free"},
	{'t', "timeout", "SECONDS", "exit with 124 if there is no token after this time"},
	{'w', "wait", "SECONDS", "the same as -t, as in flock(1)"},
	{'E', "conflict-exit-code", "STATUS", "exit with STATUS in place of 124"},
	{'p', "priority", "N", "0 to 9: the highest is served first (default: 5)"},
	{'k', "count", "N", "take N tokens; all; 2-8: what is free, at least 2"},
	{'N', "start", "N", "start a pool of N tokens if there is none"},
	{'j', "jobserver", "STYLE", "how to tell of the jobserver: fifo, pipe, both, none"},
	{'J', "most", "N", "... by which the command gets at most N tokens in all"},
	{'b', "background", NULL, "return when the command has started"},
	{'o', "close", NULL, "only tokget holds the token, and not the command"},
	{WITHOUT, "without", NULL, "if there is no pool, run without a token"},
	{'x', "exec", NULL, "become the command, instead of its parent"},
	{'l', "lease", NULL, "print the path of a lease, for a shell to hold"},
	{BEAT, "beat", "SECONDS", "HOST is lost after three of these without a word (2)"},
	{FAR, "far", "SECONDS", NULL}, /* the far side of HOST:FIFO: abroad.c */
	/* of sem, in GNU parallel */
	{'b', "bg", NULL, NULL},
	{GRANTED, "fg", NULL, NULL},
	{GRANTED, "will-cite", NULL, NULL},
	{REFUSED, "id", NULL, NAMED},
	{REFUSED, "semaphore-name", NULL, NAMED},
	{REFUSED, "semaphorename", NULL, NAMED},
	{REFUSED, "jobs", NULL, "!write -N 4, for a pool of 4 tokens"},
	{REFUSED, "st", NULL, TIMED},
	{REFUSED, "semaphore-timeout", NULL, TIMED},
	{REFUSED, "semaphoretimeout", NULL, TIMED},
	/* of an older version */
	{REFUSED, "idle", NULL, "!write tokget -k all FIFO true"},
	{REFUSED, "unwatched", NULL, "!write tokget -b FIFO COMMAND, or -l"},
	OPTIONS_END
};

static void
set_environment(const struct grant *grant)
{
	const struct tokens *tokens = &grant->tokens;
	char count[24], base[HELD_BASE];

	snprintf(base, sizeof base, "%s", strrchr(grant->path, '.') + 1);
	if (grant->loan.number > 0)
		snprintf(base, sizeof base, "%.*s.%ld", HELD_BASE - HELD_NUMBER,
		    grant->loan.held.base, grant->loan.number);
	snprintf(count, sizeof count, "%ld", tokens->count);
	if (setenv("JOBCTL_COUNT", count, 1) != 0 ||
	    setenv("JOBCTL_SLOT", tokens->slots, 1) != 0 ||
	    setenv("JOBCTL_LABEL", tokens_labels(tokens), 1) != 0 ||
	    held_say(grant->path, base, grant->size, tokens->slots, tokens->labels) != 0)
		fail(STATUS_TROUBLE, "environment:");
}

/* Until the shell has opened the lease, or for some seconds, the dispenser keeps it open, too: so a
   path that nobody reads has to be given back by us. */
static int
print_lease(const struct wish *wish, const struct grant *grant, int lease)
{
	struct outbox path = {0};
	char line[64];

	snprintf(line, sizeof line, "@heard %.40s\n", strrchr(grant->path, '.') + 1);
	inlet_write(wish->fifo, line);
	outbox_say(&path, "%s\n", grant->path);
	if (outbox_flush(&path, STDOUT_FILENO) == 0)
		return STATUS_DONE;
	complain("standard output:");
	inlet_send(lease, "C", 1, -1);
	return STATUS_TROUBLE;
}

/* We go on as a child of who was started, which now waits until the command has: so it is the child
   that tokstat is to show. A signal ends us, for there is no command yet; standard input is not
   ours to read: as of any command that a shell starts by &. */
static int
go_to_background(const struct wish *wish, const struct grant *grant)
{
	int ready = background_begin(), inlet = -1;
	char line[96];
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM); /* background_begin() has blocked it */
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	background_leave(STDIN_FILENO);
	snprintf(line, sizeof line, "@pid %.40s %ld\n", strrchr(grant->path, '.') + 1,
	    (long)getpid());
	if (grant->loan.number == 0 && (inlet = inlet_find(wish->fifo)) >= 0)
		inlet_send(inlet, line, strlen(line), inlet_soon());
	descriptors_close(&inlet);
	return ready;
}

static int
run_command(const struct wish *wish, struct grant *grant, char **argv, int lease)
{
	long size = wish->most > 0 && wish->most < grant->size ? wish->most : grant->size;
	struct outbox words = {0};
	int status, ready = -1;
	char end[24];

	set_environment(grant);
	if (grant->build[0] != '\0')
		announce_build(grant->build, size, wish->style, argv[0], wish->xflag);
	else if (wish->most > 0 || (wish->style != ANNOUNCE_FITTING &&
	    wish->style != ANNOUNCE_NOTHING))
		complain("%s: no jobserver, and so no further tokens for the command: start "
		    "tokend with -j", wish->fifo);
	if (!wish->oflag)
		borrow_hand_on(&grant->loan);
	if (wish->bflag)
		ready = go_to_background(wish, grant);
	status = wish->xflag ? command_exec(argv) : command_start(argv, wish->oflag ? lease : -1);
	signal(SIGPIPE, SIG_IGN);
	if (status == 0) {
		if (wish->bflag)
			background_ready(ready, -1); /* its end is no news: the command runs */
		status = command_wait();
		if (wish->bflag && status != 0) { /* the first process has returned, with 0 */
			quote_words(&words, argv);
			complain("%s: exit status %d: %s", wish->fifo, status,
			    outbox_text(&words));
			outbox_drop(&words);
		}
	}
	if (grant->loan.number > 0)
		borrow_return(&grant->loan);
	else
		inlet_send(lease, end, (size_t)snprintf(end, sizeof end, "%dC", status), -1);
	return status;
}

static void
choose_style(struct wish *wish, const struct options *options)
{
	static const char *const styles[] = {[ANNOUNCE_BOTH] = "both", [ANNOUNCE_PATH] = "fifo",
	    [ANNOUNCE_DESCRIPTOR] = "pipe", [ANNOUNCE_NOTHING] = "none"};
	enum announce_style style = ANNOUNCE_BOTH;

	while (strcmp(options->argument, styles[style]) != 0)
		if (++style > ANNOUNCE_NOTHING)
			options_wrong(options, "not fifo, pipe, both or none; tokens of the pool "
			    "are -N, jobs of a build -J");
	wish->style = style;
}

/* "2", "all"; or "2-8" and "2-all": as many as are free, and two at least. */
static void
choose_count(struct wish *wish, const struct options *options)
{
	char *dash = strchr(options->argument, '-'), *high = dash != NULL ? dash + 1
	    : options->argument;
	int all = strcmp(high, "all") == 0, wrong = 0;
	long least = 1, most = MOST_AT_ONCE;

	wish->count = options->argument;
	if (dash != NULL) {
		*dash = '\0';
		wrong = number_scan(wish->count, 1, MOST_AT_ONCE, &least) != 0;
		*dash = '-';
	}
	if (wrong || (!all && number_scan(high, 1, MOST_AT_ONCE, &most) != 0))
		options_wrong(options, "not a count: from 1 to %d, all, or such as 2-8 or 2-all",
		    MOST_AT_ONCE);
	if (least > most)
		options_wrong(options, "the first number is the lower one: %ld-%ld", most, least);
	wish->own = all && dash == NULL ? 0 : most;
	if (dash == NULL)
		snprintf(wish->asks, sizeof wish->asks, "%ld", wish->own);
	else
		snprintf(wish->asks, sizeof wish->asks, "%ld-%ld", least, most);
}

static void
choose_start(struct wish *wish, const struct options *options)
{
	wish->start = options->argument;
	if (processors_count(wish->start, processors_usable(""), MOST_TOKENS, &wish->size) != 0)
		options_wrong(options, "not a number of tokens: from 1 to %d, or such as 50%%",
		    MOST_TOKENS);
}

/* Options that a token of another machine cannot have. */
static void
check_abroad(const struct wish *wish, const struct options *o)
{
	if (wish->lflag || wish->xflag || wish->bflag || wish->without || wish->most > 0 ||
	    (wish->style != ANNOUNCE_FITTING && wish->style != ANNOUNCE_NOTHING))
		options_misused(o, "HOST:FIFO has no -j, -J, -l, -x and --without, for its lease "
		    "cannot be opened here; for -b, write & after the command");
}

/* The words behind FIFO, and options that do not go together. */
static void
check_words(const struct wish *wish, const struct options *o, const char *command)
{
	int several = strcmp(wish->count, "1") != 0,
	    runs = wish->bflag || wish->oflag || wish->xflag;
	long n;

	if (*wish->fifo == '\0')
		options_misused(o, "the path of the FIFO is empty");
	if (number_scan(wish->fifo, 0, INT_MAX, &n) == 0)
		options_misused(o, "needs a FIFO; the number of tokens is -N, a FIFO with a number "
		    "for a name ./8");
	if (command != NULL && *command == '-')
		options_misused(o, "a command follows the FIFO, and options stand before it");
	if (wish->lflag && (command != NULL || several || runs))
		options_misused(o, "-l prints a lease: no command, and no -b, -k, -o or -x");
	if (wish->most > 0 && (wish->lflag || wish->style == ANNOUNCE_NOTHING))
		options_misused(o, "-J: is for a build, so not with -j none or without a command");
	if (wish->most > 0 && (wish->own == 0 || wish->own > wish->most))
		options_misused(o, "-J: must not be lower than -k");
	if (wish->without && (wish->lflag || wish->bflag || wish->start != NULL))
		options_misused(o, "--without: needs a command, and does not go with -b or -N");
	if (wish->lflag)
		return;
	if (command == NULL)
		options_misused(o, "needs a command, or -l for a shell");
	if (*command == '\0')
		options_misused(o, "the command is empty");
	if (wish->xflag && (wish->oflag || wish->bflag))
		options_misused(o, wish->bflag ? "-b stays beside the command: not with -x"
		    : "-x and -o do not go together");
}

/* Where the FIFO was forgotten, the program stands in its place, and its first argument next. */
static void
check_fifo(const char *fifo, const char *next)
{
	if (next != NULL && strchr(fifo, '/') == NULL && access(fifo, F_OK) != 0 &&
	    command_there(fifo) && !command_there(next))
		fail(STATUS_TROUBLE, "%s: FIFO missing? this is a program, and %s is none: write "
		    "tokget ~/%s.fifo %s; a FIFO of that name is ./%s", fifo, next, fifo, fifo,
		    fifo);
}

/* Where the command begins. */
static char **
read_wish(struct wish *wish, char **host, long *beat_ms, char **argv)
{
	struct options o;
	int code;

	options_open(&o, USAGE, table, argv);
	if (*o.argv != NULL && strcmp(*o.argv, "--wait") == 0 && (o.argv[1] == NULL ||
	    o.argv[1][strspn(o.argv[1], ".0123456789smhd")] != '\0'))
		fail(STATUS_TROUBLE, "--wait: needs SECONDS; to wait until no token is out, write: "
		    "tokget -k all FIFO true");
	while ((code = options_next(&o)) != -1)
		switch (code) {
		case 'j': choose_style(wish, &o); break;
		case 'J': wish->most = number_option(&o, 1, MOST_TOKENS); break;
		case 'b': wish->bflag = 1; break;
		case 'E': wish->no_token = (int)number_option(&o, 0, 255); break;
		case 'k': choose_count(wish, &o); break;
		case 'l': wish->lflag = 1; break;
		case 'n': wish->now = 1; break;
		case 'N': choose_start(wish, &o); break;
		case 'o': wish->oflag = 1; break;
		case 'p': number_option(&o, 0, 9); wish->priority = o.argument; break;
		case 't':
		case 'w': wish->until = clock_now() + number_option_ms(&o); break;
		case 'x': wish->xflag = 1; break;
		case BEAT: *beat_ms = beat_option(&o); break;
		case FAR: far_begin(beat_option(&o)); wish->far = 1; break;
		case WITHOUT: wish->without = 1; break;
		}
	if ((wish->fifo = o.argv[0]) == NULL)
		options_misused(&o, "needs a FIFO");
	if (strcmp(wish->fifo, "-") == 0)
		options_misused(&o, "-: a loop around tokend -a reads its lines itself: tokend(5)");
	check_words(wish, &o, o.argv[1]);
	wish->fifo = abroad_split(wish->fifo, host);
	if (*host != NULL)
		check_abroad(wish, &o);
	else if (*beat_ms != 0)
		options_misused(&o, "--beat: is for HOST:FIFO");
	else {
		check_fifo(wish->fifo, o.argv[1]);
		wish->fifo = inlet_path(wish->fifo);
	}
	return o.argv + 1;
}

int
main(int argc, char **argv)
{
	struct wish wish = {.count = "1", .asks = "1", .own = 1, .priority = "5", .until = -1,
	    .no_token = STATUS_NO_TOKEN};
	static struct grant grant;
	static char *host; /* to the end */
	char **command;
	long beat_ms = 0;
	int lease;

	(void)argc;
	program = "tokget";
	signal(SIGCHLD, SIG_DFL); /* ignored, it would leave nothing to wait for */
	command = read_wish(&wish, &host, &beat_ms, argv);
	wish.command = *command != NULL ? command : NULL;
	if (host != NULL)
		abroad_run(&wish, host, wish.fifo, beat_ms > 0 ? beat_ms : BEAT_MS, command);
	lease = wish_take(&wish, &grant);
	if (wish.far)
		far_hold(&grant);
	if (wish.lflag)
		return print_lease(&wish, &grant, lease);
	return run_command(&wish, &grant, command, lease);
}
