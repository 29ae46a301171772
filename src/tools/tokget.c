/*
 * tokget -- takes a token and runs a command with it.
 *
 * The token is out for as long as anybody has its lease open: this program, which stays as the
 * command's parent, the command, and what that has started. With -, for a script that keeps its
 * own loop: takes a token from the pipe that a dispenser writes to, byte by byte, so that what
 * follows stays in the pipe.
 */
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../lease/lease.h"
#include "../lease/makeflags.h"
#include "../lease/words.h"
#include "../lib/clock.h"
#include "../lib/command.h"
#include "../lib/complain.h"
#include "../lib/fifo.h"
#include "../lib/number.h"
#include "../lib/processors.h"
#include "../lib/status.h"
#include "../lib/usage.h"
#include "asking.h"
#include "inlet.h"

#define USAGE \
	"usage: tokget [-nox] [-j style] [-k count] [-N count] [-p priority] [-t seconds]\n" \
	"              FIFO [command [arg...]]\n" \
	"       tokget -l [-n] [-N count] [-p priority] [-t seconds] FIFO\n" \
	"       tokget -"

enum {
	LINE = 8192,
	AGAIN = 20,         /* ms until we look again for a dispenser */
	RESTART = 2000,     /* ms in which one that was killed may come back */
	ABOVE = 10,         /* the least descriptor for a build */
	UNPROVED = 10,      /* answers that gave no lease: enough */
	SLOTS = 16384       /* bytes for the slots and for the labels that we got */
};

struct wish {
	const char *fifo;
	const char *count;     /* -k */
	const char *priority;  /* -p */
	const char *start;     /* -N: tokens of a dispenser to start, or NULL */
	enum { FITTING, BY_PATH, BY_DESCRIPTOR, NO_BUILD } style; /* -j */
	int now;               /* -n */
	long long until;       /* -t: on the clock, or -1 */
	int lflag, oflag, xflag, plain;
};

struct grant {
	char slots[SLOTS], labels[SLOTS];
	char *path;            /* of the lease; NULL for a plain token */
	int tells;             /* the dispenser wants to hear of the start */
	long size;             /* of the pool, or 0 */
	char build[LINE];      /* where it is offered to a build; "" for nowhere */
};

/* One line without its newline, cut at LINE - 1 bytes; exits at the end. */
static void
read_line(char line[LINE])
{
	size_t used = 0;
	ssize_t n;
	char byte;

	for (;;) {
		while ((n = read(STDIN_FILENO, &byte, 1)) < 0 && errno == EINTR)
			;
		if (n < 0)
			fail(STATUS_TROUBLE, "standard input:");
		if (n == 0)
			fail(STATUS_GONE, "standard input: the dispenser went away");
		if (byte == '\n')
			break;
		if (used < LINE - 1)
			line[used++] = byte;
		/* in the byte form, a token or the end is a whole answer */
		if (used == 1 && byte == 'C')
			break;
		if (used == 1 && byte == '.')
			fail(STATUS_GONE, "standard input: the dispenser has ended");
	}
	line[used] = '\0';
}

/* The lease that a line "LEASE ID" gives, cut out of it in place, or NULL: attendant.h. */
static char *
given_lease(char *line)
{
	char *word = strtok(line, " ");
	long slot, generation;

	if (word == NULL || strtok(NULL, " ") == NULL)
		return NULL;
	if (strcmp(word, "stop") == 0)
		fail(STATUS_GONE, "standard input: the dispenser is closing");
	return strtok(NULL, " ") == NULL && lease_parse(word, &slot, &generation) == 0 ? word
	    : NULL;
}

static int
take_from_pipe(void)
{
	char line[LINE], *lease;

	do {
		read_line(line);
		if (strcmp(line, "C") == 0)
			return STATUS_DONE;
		lease = given_lease(line);
	} while (lease == NULL);
	if (printf("%s.d/%s\n", inlet_default(NULL), lease) < 0 || fflush(stdout) != 0)
		fail(STATUS_TROUBLE, "standard output:");
	return STATUS_DONE;
}

/* Waits until tokend -b is ready. One of many that start at once wins; that another one was
   quicker is no news. */
static void
start_dispenser(const struct wish *wish, int last)
{
	char *argv[] = {"tokend", "-b", "-x", "10", "-n", (char *)wish->start, "--",
	    (char *)wish->fifo, NULL};
	pid_t child = fork();
	int status;

	if (child < 0)
		fail(STATUS_TROUBLE, "fork:");
	if (child == 0) {
		if (!last)
			dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		command_exec(argv);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) > STATUS_TROUBLE)
		fail(STATUS_TROUBLE, "tokend: cannot be run, or is not in PATH");
	if (last && status != 0)
		exit(STATUS_TROUBLE);
}

static int
is_late(const struct wish *wish)
{
	return wish->until >= 0 && clock_now() >= wish->until;
}

static void
pause_for(long ms)
{
	struct timespec pause = clock_span(ms);

	nanosleep(&pause, NULL);
}

/* Exits with the status for a dispenser that is not there, unless one may still come: by -N,
   or a restart of one whose files are there. since is when we missed it first. */
static void
miss_dispenser(const struct wish *wish, int reason, long long *since)
{
	int late;

	if (*since < 0)
		*since = clock_now();
	late = clock_now() - *since >= RESTART;
	if (wish->start != NULL)
		start_dispenser(wish, late);
	else if (late || reason == ENOENT)
		fail(STATUS_GONE, "%s: no dispenser there", wish->fifo);
	pause_for(AGAIN);
}

static int
refused(const struct wish *wish, const char *reason)
{
	if (strcmp(reason, "busy") == 0)
		return STATUS_NO_TOKEN;
	if (strcmp(reason, "stopped") == 0) /* with -N too: else that would undo it */
		fail(STATUS_GONE, "%s: the dispenser was stopped", wish->fifo);
	if (strcmp(reason, "closing") == 0 && wish->start != NULL)
		return STATUS_NO_TOKEN; /* there will be another one, but not in time */
	if (strcmp(reason, "closing") == 0)
		fail(STATUS_GONE, "%s: the dispenser is closing", wish->fifo);
	if (strcmp(reason, "many") == 0)
		fail(STATUS_TROUBLE, "%s: -k %s: it has fewer tokens", wish->fifo, wish->count);
	if (strcmp(reason, "lease") == 0)
		fail(STATUS_TROUBLE, "%s: the dispenser cannot make a lease: see to the "
		    "permissions and the disk of %s.d", wish->fifo, wish->fifo);
	if (strcmp(reason, "attendant") == 0)
		fail(STATUS_TROUBLE, "%s: that dispenser serves one script only", wish->fifo);
	fail(STATUS_TROUBLE, "%s: too many are waiting", wish->fifo);
	return STATUS_TROUBLE;
}

static void
append(char list[SLOTS], const char *item, char separator)
{
	size_t used = strlen(list), length = strlen(item);

	if (used + length + 2 > SLOTS)
		return;
	if (used > 0)
		list[used++] = separator;
	memcpy(list + used, item, length + 1);
}

/* The first line of an answer, with the results of asking_line(). A plain token that is given as
   the time ends has no lease that brings it home: so we look whether one was given. */
static int
first_line(struct asking *a, const struct wish *wish, char *line, size_t size)
{
	int got = asking_line(a, line, size, wish->until);

	while (got == 0 || (got == 1 && strcmp(line, "no again") == 0)) {
		if (asking_withdraw(a) == 0)
			return got == 0 ? 0 : -1;
		got = asking_line(a, line, size, -1);
	}
	return got;
}

static void
give_up(const struct wish *wish)
{
	fail(STATUS_TROUBLE, "%s: not the answer of a dispenser, or that of an older version: "
	    "stop it with tokstop, and start it anew", wish->fifo);
}

/* That many lines "SLOT LABEL": 0, or -1 when the dispenser went away. A slot becomes a path
   that a script opens for writing, and the line may come from anybody. */
static int
hear_slots(struct asking *a, const struct wish *wish, struct grant *grant, long count)
{
	char line[2048], *label;
	long slot;

	grant->slots[0] = grant->labels[0] = '\0';
	for (; count > 0; count--) {
		if (asking_line(a, line, sizeof line, -1) != 1)
			return -1;
		if ((label = strchr(line, ' ')) != NULL)
			*label++ = '\0';
		if (number_scan(line, 1, LONG_MAX, &slot) != 0)
			give_up(wish);
		append(grant->slots, line, ' ');
		append(grant->labels, label != NULL ? label : "", '\n');
	}
	return 0;
}

/* One answer: 0 when the token is ours, -1 when the dispenser went away or says "again"; exits
   where there will be no token. */
static int
hear(struct asking *a, const struct wish *wish, struct grant *grant)
{
	char line[2048], *size;
	long count;
	int got = first_line(a, wish, line, sizeof line);

	if (got == 1 && wish->start != NULL && strcmp(line, "no closing") == 0 && !wish->now &&
	    !is_late(wish)) {
		pause_for(AGAIN);
		return -1; /* it ends: another one is started */
	}
	if (got == 0 || (got == 1 && strncmp(line, "no ", 3) == 0)) {
		asking_close(a);
		exit(got == 0 ? STATUS_NO_TOKEN : refused(wish, line + 3));
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
	return hear_slots(a, wish, grant, count);
}

/* The shell of -l does so itself. A dispenser that takes over knows of no starts: to that one
   it says nothing. */
static void
tell_start(struct asking *a, const struct wish *wish, const struct grant *grant)
{
	char slot[24];

	if (!grant->tells || wish->lflag)
		return;
	snprintf(slot, sizeof slot, "%.*s", (int)strcspn(grant->slots, " "), grant->slots);
	asking_send(a, "begun", slot);
}

/* 1 when the lease is that of the slot, and not only somebody's word for it. */
static int
is_given(const struct asking *a, const struct wish *wish, struct grant *grant)
{
	return wish->plain || (grant->path = asking_given(a, grant->slots)) != NULL;
}

/* The lease of the token; -1 where it has none, and a signal still gives it back. Exits where
   there is no token. */
static int
take(const struct wish *wish, struct grant *grant)
{
	struct asking a = {0};
	char rest[64];
	long long missed = -1;
	int heard, unproved = 0;

	a.plain = wish->plain;
	snprintf(rest, sizeof rest, "%s %s %s%s%s%s", wish->count, wish->priority, wish->now ? "n"
	    : "-", wish->plain ? "p" : wish->lflag ? "l" : wish->style != NO_BUILD ? "j" : "",
	    wish->xflag || wish->lflag || wish->plain ? "s" : "", wish->start != NULL ? "N" : "");
	for (;;) {
		if (asking_open(&a, wish->fifo) != 0) {
			if (is_late(wish))
				exit(STATUS_NO_TOKEN);
			miss_dispenser(wish, errno, &missed);
			continue;
		}
		if (asking_send(&a, "get", rest) == 0) {
			missed = -1;
			heard = hear(&a, wish, grant) == 0;
			if (heard && is_given(&a, wish, grant)) {
				tell_start(&a, wish, grant);
				return wish->plain ? -1 : asking_keep(&a);
			}
			if (heard && ++unproved == UNPROVED)
				give_up(wish);
		}
		asking_close(&a);
	}
}

/* -N of a pool that somebody else has started. */
static void
compare_size(const struct wish *wish, const struct grant *grant)
{
	long size;

	if (wish->start == NULL || grant->size == 0 ||
	    (number_scan(wish->start, 1, MOST_TOKENS, &size) != 0 &&
	    processors_count(wish->start, processors_usable(""), MOST_TOKENS, &size) != 0))
		return;
	if (size != grant->size)
		complain("%s: -N %s: this pool exists, with %ld token%s, not %ld", wish->fifo,
		    wish->start, grant->size, grant->size == 1 ? "" : "s", size);
}

static void
set_environment(const struct grant *grant)
{
	if (setenv("JOBCTL_SLOT", grant->slots, 1) != 0 ||
	    setenv("JOBCTL_LABEL", grant->labels, 1) != 0)
		fail(STATUS_TROUBLE, "environment:");
}

/* Until the shell has opened the lease, or for some seconds, the dispenser keeps it open, too: so a
   path that nobody reads has to be given back by us. */
static int
print_lease(const struct wish *wish, const struct grant *grant, int lease)
{
	char line[64];

	snprintf(line, sizeof line, "@heard %.40s\n", strrchr(grant->path, '.') + 1);
	inlet_write(inlet_open(wish->fifo), wish->fifo, line);
	if (printf("%s\n", grant->path) >= 0 && fflush(stdout) == 0)
		return STATUS_DONE;
	complain("standard output:");
	inlet_send(lease, "C", 1);
	return STATUS_TROUBLE;
}

/* What suits the command: a make that knows descriptors only would die of a path, and one that
   is not GNU make of either. It is not to find a jobserver while we ask. */
static int
style_for(const struct wish *wish, const char *command)
{
	const char *slash = strrchr(command, '/'), *name = slash != NULL ? slash + 1 : command;
	char *ask[] = {(char *)command, "--version", NULL}, version[64];
	int fitting;

	if ((strcmp(name, "make") != 0 && strcmp(name, "gmake") != 0 &&
	    strcmp(name, "bmake") != 0) || wish->style == BY_DESCRIPTOR)
		return wish->style == FITTING ? BY_PATH : (int)wish->style;
	unsetenv("MAKEFLAGS");
	if (command_answer(ask, version, sizeof version) != 0)
		return BY_PATH; /* it cannot be run, which will be said later */
	fitting = !makeflags_known(version) ? NO_BUILD : makeflags_knows_paths(version) ? BY_PATH
	    : BY_DESCRIPTOR;
	if (wish->style == BY_PATH && fitting == BY_DESCRIPTOR)
		fail(STATUS_TROUBLE, "-j fifo: %s knows -j pipe only: it is %.*s", command,
		    (int)strcspn(version, "\n"), version);
	return wish->style == BY_PATH ? BY_PATH : fitting;
}

/* Out of the way of a script's own descriptors; blocking, for those who inherit it. */
static int
open_end(const char *build, const char *word, int flags, int inherited)
{
	char path[LINE + 16];
	int fd, above;

	snprintf(path, sizeof path, "%s.%s", build, word);
	fd = fifo_open(AT_FDCWD, path, flags);
	above = fd < 0 ? -1 : fcntl(fd, inherited ? F_DUPFD : F_DUPFD_CLOEXEC, ABOVE);
	if (above < 0 || (inherited && fcntl(above, F_SETFL, 0) != 0))
		fail(STATUS_TROUBLE, "%s:", path);
	close(fd);
	return above;
}

/* All ends stay open with us as well, or with the command that we become: so what the build
   has taken outlives a dispenser that is killed, and nobody gets EPIPE or an end of file, or
   waits for another end in an open. */
static void
announce_build(const struct wish *wish, const struct grant *grant, char **argv)
{
	char *old = getenv("MAKEFLAGS"), *text, *copy = NULL, path[LINE + 16];
	int style, by_descriptor, in, out;

	if (old != NULL && (copy = strdup(old)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	style = style_for(wish, argv[0]);
	by_descriptor = style == BY_DESCRIPTOR;
	if (style == NO_BUILD) {
		if (copy != NULL && setenv("MAKEFLAGS", copy, 1) != 0)
			fail(STATUS_TROUBLE, "environment:");
		free(copy);
		return;
	}
	in = open_end(grant->build, "jobserver", O_RDONLY, by_descriptor || wish->xflag);
	out = open_end(grant->build, "jobserver", O_WRONLY, wish->xflag);
	if (by_descriptor) {
		open_end(grant->build, "returned", O_RDONLY, wish->xflag);
		out = open_end(grant->build, "returned", O_WRONLY, 1);
	}
	snprintf(path, sizeof path, "%s.jobserver", grant->build);
	text = makeflags_text(copy, grant->size, by_descriptor ? NULL : path, in, out);
	if (text == NULL || setenv("MAKEFLAGS", text, 1) != 0 ||
	    setenv("CARGO_MAKEFLAGS", text, 1) != 0)
		fail(STATUS_TROUBLE, "environment:");
	free(text);
	free(copy);
}

static int
run(const struct wish *wish, const struct grant *grant, char **argv, int lease)
{
	int status;

	set_environment(grant);
	if (grant->build[0] != '\0')
		announce_build(wish, grant, argv);
	if (wish->xflag)
		command_exec(argv);
	status = command_run(argv, wish->oflag ? lease : -1);
	signal(SIGPIPE, SIG_IGN);
	if (write(lease, "C", 1) < 0)
		return status; /* the dispenser has gone: nothing to give back */
	return status;
}

static void
choose_style(struct wish *wish, const char *word)
{
	if (strcmp(word, "fifo") == 0)
		wish->style = BY_PATH;
	else if (strcmp(word, "pipe") == 0)
		wish->style = BY_DESCRIPTOR;
	else if (strcmp(word, "none") == 0)
		wish->style = NO_BUILD;
	else
		fail(STATUS_TROUBLE, "-j %s: not a style: fifo, pipe, or none", word);
}

static void
read_options(struct wish *wish, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "hj:k:lnN:op:t:xV")) != -1)
		switch (option) {
		case 'j': choose_style(wish, optarg); break;
		case 'k': number_option('k', wish->count = optarg, 1, MOST_AT_ONCE); break;
		case 'l': wish->lflag = 1; break;
		case 'n': wish->now = 1; break;
		case 'N': wish->start = optarg; break;
		case 'o': wish->oflag = 1; break;
		case 'p': number_option('p', wish->priority = optarg, 0, 9); break;
		case 't': wish->until = clock_now() + number_option_ms('t', optarg); break;
		case 'x': wish->xflag = 1; break;
		default: exit(usage(option, USAGE));
		}
	if (optind == argc || (wish->lflag && (argc - optind != 1 || wish->oflag || wish->xflag)) ||
	    (wish->oflag && wish->xflag) || (wish->lflag && strcmp(wish->count, "1") != 0))
		exit(usage('?', USAGE));
	wish->fifo = argv[optind];
	wish->plain = argc - optind == 1 && !wish->lflag;
}

int
main(int argc, char **argv)
{
	struct wish wish = {.count = "1", .priority = "5", .until = -1};
	static struct grant grant;
	int lease;

	program = "tokget";
	signal(SIGCHLD, SIG_DFL); /* ignored, it would leave nothing to wait for */
	read_options(&wish, argc, argv);
	if (strcmp(wish.fifo, "-") == 0) {
		if (argc != 2)
			exit(usage('?', USAGE));
		return take_from_pipe();
	}
	lease = take(&wish, &grant);
	compare_size(&wish, &grant);
	if (wish.plain)
		return STATUS_DONE;
	if (wish.lflag)
		return print_lease(&wish, &grant, lease);
	return run(&wish, &grant, argv + optind + 1, lease);
}
