/*
 * tokend -- the dispenser: hands out tokens over a named FIFO.
 *
 * A token is out for as long as somebody has the write end of its lease open (lease.h). Clients
 * ask for tokens by the inlet (tokend(5)); or there is an attendant, one shell, that reads our
 * standard output (attendant.h).
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tokend.h"

#define USAGE \
	"usage: tokend [option...] FIFO\n" \
	"       tokend -a [-k] [option...] FIFO\n" \
	"       tokend -r FIFO"

enum { OPEN = 256, JOBLOG };

static const struct option table[] = {
	{'n', "tokens", "N", "number of tokens: 8, 50%, +1 (default: processors)"},
	{'s', "label", "LABEL", "label the next slot"},
	{'f', "labels", "FILE", "... from a file, a line for each"},
	{'d', "delay", "SECONDS", "wait this long between any two starts"},
	{'i', "slot-delay", "SECONDS", "... between two starts in the same slot"},
	{'u', "parent", "FIFO", "take the tokens from another pool; make: the jobserver"},
	{0, NULL, NULL, "For programs (tokget)"},
	{'b', "background", NULL, "go into the background, and return when ready"},
	{'k', "keep", NULL, "start another tokend if this one is killed (with -b)"},
	{'j', "builds", NULL, "serve builds, too: make, cargo, ninja share the tokens"},
	{'J', "most", "N", "... with at most N for each build"},
	{'A', "load", "L", "give no token while the load average is this or more"},
	{'M', "memfree", "SIZE", "... while less memory is available: 500M, 2G"},
	{'g', "least", "N", "... but let N tokens be out in spite of these"},
	{'m', "mode", "MODE", "mode of the FIFO: 660 lets its group ask (default: 600)"},
	{'x', "exit", "SECONDS", "end when no token was out and nobody waited this long"},
	{JOBLOG, "joblog", "FILE", "append a line for each use of a token, as it ends"},
	{0, NULL, NULL, "For one script (jobctl.sh)"},
	{'a', "attend", NULL, "write leases for the jobs to standard output"},
	{OPEN, "open", NULL, "... to the FIFO of a batch that jobctl_open opens"},
	{'l', "timeout", "SECONDS", "end a job that has run this long"},
	{'L', "deadline", "SECONDS", "end the whole batch after this time"},
	{'B', "batch", "OPTION", "an option of the books, such as --keep-order"},
	{'r', "recover", NULL, "recover from a tokend that was killed: give out nothing"},
	{'c', "classic", NULL, "!write: . jobctl.sh; jobctrl N | process M"},
	{0, NULL, NULL, "Else"},
	OPTIONS_END
};

enum { MOST_IDLE = 1000000 }; /* seconds of -x */

static void
set_mode(struct dispenser *d, const struct options *options)
{
	const char *text = options->argument;
	char *end;
	long mode = strtol(text, &end, 8);

	if (*text < '0' || *text > '7' || *end != '\0' || mode > 0777 || (mode & 0600) != 0600)
		options_wrong(options, "not a mode such as 660, which lets its owner read and "
		    "write");
	d->mode = (int)mode;
}

static long long
time_limit(const struct options *options)
{
	long long ms = number_option_ms(options);

	if (ms == 0)
		options_wrong(options, "must be more than 0");
	return ms;
}

/* -u with the path of another dispenser: we become tokget, which takes a token there and becomes
   tokend again, with a '=' before the path. That dispenser is then our jobserver. */
static void
become_its_client(const struct dispenser *d, char **argv, const char *parent)
{
	char **words, *word;
	size_t n = 0;
	struct held held;
	int inlet = fifo_colon(parent) == NULL ? fifo_open(AT_FDCWD, parent, O_WRONLY) : -1;

	if (inlet < 0 && fifo_colon(parent) == NULL)
		fail(STATUS_TROUBLE, "-u %s: no tokend runs there", parent);
	descriptors_close(&inlet);
	if (d->background && held_find(parent, &held) && held.job[0] != '\0')
		fail(STATUS_TROUBLE, "-u %s: this is a job of a build, which would use its token "
		    "again while tokend runs: start it before the build", parent);
	while (argv[n] != NULL)
		n++;
	words = need_memory(malloc((n + 7) * sizeof *words));
	word = need_memory(malloc(strlen(parent) + 2));
	sprintf(word, "=%s", parent);
	memcpy(words, (char *[]){"tokget", "-x", "--", (char *)parent, argv[0], "-u", word},
	    7 * sizeof *words);
	memcpy(words + 7, argv + 1, n * sizeof *words);
	if (d->background)
		background_close_others(NULL, 0); /* we need what is opened from now on */
	unsetenv("MAKEFLAGS"); /* if it is not set again, the parent has no tokens for builds */
	execvp("tokget", words);
	fail(STATUS_TROUBLE, "tokget: not on PATH, or cannot be run:");
}

/* -u: returns how many jobs the parent allows at once. */
static long
borrow_from(struct dispenser *d, char **argv, const char *parent, long processors)
{
	const char *why;
	int usable, single;

	if (strcmp(parent, "make") != 0 && parent[0] != '=')
		become_its_client(d, argv, parent);
	if (d->serving && parent[0] == '=')
		first_begin(&d->clients.store.first, parent + 1);
	usable = jobserver_open(1, &why) == 0;
	if (!usable && parent[0] == '=')
		fail(STATUS_TROUBLE, "-u %s: %s", parent + 1, why != NULL ? why
		    : "its tokend was started without -j");
	if (why != NULL)
		complain("warning: one job at a time, as make's jobserver cannot be used: %s", why);
	single = why != NULL || jobserver_single();
	d->jobs.borrowing = !d->serving && (usable || single);
	d->clients.store.borrowing = d->serving && (usable || single);
	return usable ? jobserver_jobs() : single ? 1 : processors;
}

/* Takes an option that only one kind of dispenser has, which it notes. */
static void
take_setting(struct dispenser *d, const struct options *o, int code, int *for_clients,
    int *for_lines)
{
	struct limits *limits = &d->clients.store.limits;

	*(code == 'B' || code == 'l' || code == 'L' ? for_lines : for_clients) = 1;
	switch (code) {
	case 'A':
		if (limits_scan_load(limits, o->argument) != 0)
			options_wrong(o, "%s", "not " LIMITS_LOAD);
		break;
	case 'b': d->background = 1; break;
	case 'B':
		if (books_option(&d->jobs.books, o->argument) != 0)
			exit(STATUS_TROUBLE);
		break;
	case 'g': limits->least = number_option(o, 1, MOST_TOKENS); break;
	case 'J': d->clients.builds.cap = number_option(o, 1, MOST_TOKENS); /* FALLTHROUGH */
	case 'j': d->builds = 1; break;
	case 'l': d->jobs.books.terms.limit = time_limit(o); break;
	case 'L': d->jobs.deadline = clock_now() + time_limit(o); break;
	case 'm': set_mode(d, o); break;
	case 'M':
		if (limits_scan_size(limits, o->argument) != 0)
			options_wrong(o, "%s", "not " LIMITS_SIZE);
		break;
	case JOBLOG: d->joblog = options_path(o); break;
	case 'x': d->idle = 1000 * number_option(o, 1, MOST_IDLE); break;
	}
}

/* -a -k: "process" is a part of a pipeline that the script started: the parent of the shell that
   started us. */
static void
serve_process(struct dispenser *d)
{
	pid_t shell = getppid();

	d->answers = 1;
	d->jobs.books.who = "process";
	d->jobs.books.waits = 1;
	d->jobs.books.next = 0;
	d->watched = family_parent(shell);
	if (d->watched > 1)
		d->watch = family_watch(d->watched);
	if (d->watched > 1 && getppid() == shell && family_parent(shell) == d->watched)
		return;
	descriptors_close(&d->watch); /* it has died: whose pid is that now? */
	d->watched = 0;
}

/* 0 when the options do not go together. */
static int
agree(struct dispenser *d, int for_clients, int for_lines, int borrows)
{
	d->serving = !d->lines && !d->recover;
	if (pace_on(&d->pace) && (d->recover || d->builds))
		return 0; /* these begin without a word to us */
	if (d->supervised && !d->background && !d->lines)
		fail(STATUS_TROUBLE, "-k: needs -b; without it, the caller can start tokend again");
	if (d->supervised && borrows && !d->lines)
		fail(STATUS_TROUBLE, "-k: not with -u; the next tokend would not know what this "
		    "one has borrowed");
	if (d->serving)
		return !for_lines && !(borrows && d->builds);
	return d->lines + d->recover < 2 && !for_clients && !(for_lines && !d->lines) &&
	    !(borrows && !d->lines);
}

static void
set_count(struct dispenser *d, char **argv, const char *counted, const char *parent)
{
	long processors = processors_usable(""), labelled = (long)d->labels.count;

	if (parent != NULL)
		processors = borrow_from(d, argv, parent, processors);
	if (counted != NULL && processors_count(counted, processors, MOST_TOKENS, &d->count) != 0)
		fail(STATUS_TROUBLE, "-n %s: not a count of tokens (1 to %d, P%%, +K, -K)", counted,
		    MOST_TOKENS);
	if (counted == NULL)
		d->count = labelled > 0 ? labelled : processors;
	if (labelled > d->count && d->jobs.borrowing)
		d->count = labelled;
	if (labelled > d->count)
		fail(STATUS_TROUBLE, "%ld labels, but only %ld tokens", labelled, d->count);
}

/* Goes into the background; returns in the dispenser. */
static const char *
open_batch(struct dispenser *d, char **argv, char **words)
{
	struct opening opening;
	const char *path = parent_of_batch(d, &opening, words);
	int here = !sites_there(&opening.sites); /* else each slot has a label */

	d->jobs.sites = opening.sites;
	set_count(d, argv, !here ? NULL : opening.count != NULL ? opening.count : "100%",
	    opening.borrows ? "make" : NULL);
	return path;
}

static const char *
read_words(struct dispenser *d, int argc, char **argv)
{
	const char *counted = NULL, *parent = NULL;
	struct options o;
	int code, for_clients = 0, for_lines = 0;
	long n;

	options_open(&o, USAGE, table, argv);
	while ((code = options_next(&o)) != -1)
		switch (code) {
		case 'a': d->lines = 1; break;
		case 'd': d->pace.any = number_option_ms(&o); break;
		case 'f': labels_read(&d->labels, o.argument); break;
		case 'i': d->pace.each = number_option_ms(&o); break;
		case 'k': d->supervised = 1; break;
		case 'n': counted = o.argument; break;
		case 'r': d->recover = 1; break;
		case 's': labels_add(&d->labels, o.argument); break;
		case 'u': parent = parent != NULL && *parent == '=' ? parent : o.argument; break;
		case OPEN:
			if (argc - (o.argv - argv) < 4)
				options_misused(&o, "needs the words of jobctl_open");
			return open_batch(d, argv, o.argv);
		default:
			take_setting(d, &o, code, &for_clients, &for_lines);
		}
	/* of jobctl, -j 8 is right */
	if (o.argv[0] != NULL && number_scan(o.argv[0], 0, INT_MAX, &n) == 0)
		options_misused(&o, "needs a FIFO; the number of tokens is -n, a FIFO with a "
		    "number for a name ./8");
	options_single(&o, 1, "needs one FIFO");
	if (fifo_colon(o.argv[0]) != NULL)
		fail(STATUS_TROUBLE, "%s: tokget takes that for HOST:FIFO; run tokend at HOST, or "
		    "write ./%s", o.argv[0], o.argv[0]);
	if (!agree(d, for_clients, for_lines, parent != NULL))
		options_misused(&o, "these options do not go together");
	if (parent != NULL && d->lines && d->supervised)
		fail(STATUS_TROUBLE, "-u: process asks for no tokens; use a batch of jobctl_open");
	set_count(d, argv, counted, parent);
	if (d->lines && d->supervised)
		serve_process(d);
	return o.argv[0];
}

/* A session of its own, with nothing open above 2 but what a jobserver needs. */
static int
go_to_background(const struct dispenser *d)
{
	int ready = background_begin();

	if (!d->clients.store.borrowing)
		background_close_others(&ready, 1);
	setsid();
	return ready;
}

int
main(int argc, char **argv)
{
	struct dispenser d = {.watch = -1, .mode = 0600,
	    .clients.store.limits.least = 1,
	    .jobs.books = {.next = 1, .terms.retry.tries = 1}};
	const char *path;
	long slots;
	int status;

	program = "tokend";
	path = read_words(&d, argc, argv);
	if (d.lines && fcntl(STDOUT_FILENO, F_GETFD) < 0)
		fail(STATUS_TROUBLE, "standard output:");
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	if (d.lines && d.supervised)
		parent_of_process(&d, path);
	limits_open(&d.clients.store.limits);
	limits_open(&d.jobs.books.terms.limits);
	if (d.builds && (d.clients.builds.path = makeflags_path(path, ".d")) == NULL)
		return STATUS_TROUBLE;
	/* All modes are given in full; but a batch's log and its --results are the caller's. */
	d.mask = umask(0);
	if (d.lines)
		umask(d.mask & 077);
	signal(SIGCHLD, SIG_DFL); /* ignored, it would leave nothing to wait for */
	slots = d.recover ? 0 : d.count;
	need_descriptors(slots + DISPENSER_SPARE, slots, "tokens");
	d.background = d.background ? go_to_background(&d) : -1;
	if (d.supervised && !d.lines)
		parent_of_pool(d.background);
	if ((status = claim_take(&d.claim, path, d.mode)) != STATUS_DONE)
		exit(d.claim.anothers && d.background >= 0 ? STATUS_GONE : status);
	status = dispenser_run(&d);
	labels_clear(&d.labels);
	parent_end(status);
	exit(status); /* d lives: a take-over that failed has freed nothing of it */
}
