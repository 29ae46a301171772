/*
 * tokend -- the dispenser: hands out tokens over a named FIFO.
 *
 * A token is out for as long as somebody has the write end of its lease open
 * (lease.h). Clients ask for them by the inlet (clients.h); or else there is an
 * attendant, one shell that reads our standard output, and is told
 *
 *	ready N		(with -w) the dispenser is there, and has N tokens
 *	slot K LABEL	slot K has a label
 *	free L		lease L may be opened: a token
 *	done L SECONDS	lease L was closed, SECONDS after it began; L is free
 *	L		the same, once it has written "@brief" into the inlet
 *	early L M	the holder of L gave its token back; M is free instead of L
 *	gone L SECONDS	lease L, early before, was closed; nothing is free by it
 *	late L		L has been held for longer than -l since its job wrote '+'
 *	said L TEXT	the holder of L wrote ":TEXT"
 *	stop REASON	start nothing more; answer "@end" when your jobs are done
 *	ready N want	with -u make: only one token is free by itself. "@want" asks for
 *			another, "free L" is the answer; a job's end is "gone", not "done"
 *
 * and after "@times" the second at which the job began behind SECONDS;
 *
 * or, with -c, in single bytes: 'C' for a token, '.' for the end.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attendant.h"
#include "background.h"
#include "claim.h"
#include "clients.h"
#include "clock.h"
#include "complain.h"
#include "descriptors.h"
#include "family.h"
#include "jobs.h"
#include "jobserver.h"
#include "labels.h"
#include "makeflags.h"
#include "names.h"
#include "news.h"
#include "number.h"
#include "processors.h"
#include "status.h"
#include "words.h"

#define USAGE \
	"usage: tokend [-b] [-j] [-A load] [-g least] [-J most] [-M size] [-m mode] [-x seconds]\n" \
	"              [-n count] [-s label]... [-f file] FIFO\n" \
	"       tokend -a [-w | -W pid] [-l seconds] [-L seconds] [-u make]\n" \
	"              [-n count] [-s label]... [-f file] FIFO\n" \
	"       tokend -c [-n count] FIFO\n" \
	"       tokend -r [-a [-w | -W pid]] FIFO"

enum {
	SPARE = 11,         /* descriptors besides those of the slots */
	FULL = 65536,       /* bytes the attendant may leave unread before we read no more */
	TICK = 1000         /* ms between two looks at the watched process, if need be */
};

struct dispenser {
	struct claim claim;
	struct jobs jobs;    /* one of these two */
	struct clients clients;
	struct news news;
	short inlet_events;  /* what we asked for of the inlet ... */
	short output_events; /* ... and of standard output */
	long count;          /* -n */
	struct labels labels; /* -s, -f: of slots 1... */
	int lines, bytes;    /* -a, -c: what the attendant reads */
	int recover;         /* -r: only wind up what a dead dispenser left */
	int serving;         /* none of these: clients */
	int background;      /* -b: descriptor that says that we are ready, or -1 */
	int mode;            /* -m: of the inlet */
	int builds;          /* -j: clients may be builds */
	long idle;           /* -x: ms after which to end when unused, or 0 */
	long long used;      /* when it was last (clock.h) */
	int answers;         /* -w: the attendant answers "stop" with "@end" */
	pid_t watched;       /* -w, -W: the script that the attendant belongs to, or 0 */
	int watch;           /* descriptor that tells of its end, or -1 */
	int asked;           /* the attendant was told to stop */
	int ending;          /* leave when all tokens are home */
	int now;             /* leave */
	int warned;          /* of junk */
};

/* All that a signal handler needs: it writes a request into our own inlet, so
   that poll wakes up, and sets the flag should the inlet be full. */
static int inlet_keep = -1;
static volatile sig_atomic_t signalled;

static void
on_signal(int sig)
{
	int saved = errno;

	(void)sig;
	signalled = 1;
	if (write(inlet_keep, "@stop\n", 6) < 0)
		errno = saved;
	errno = saved;
}

static void
catch(int sig, void (*handler)(int))
{
	struct sigaction action = {0};

	action.sa_handler = handler;
	sigemptyset(&action.sa_mask);
	if (sigaction(sig, &action, NULL) != 0)
		fail(STATUS_TROUBLE, "signal %d:", sig);
}

/* A terminal's signals reach the attendant as well; what they mean for us, it
   says, or it dies and we see that. */
static void
catch_signals(const struct dispenser *d)
{
	int attended = d->lines || d->bytes;

	catch(SIGPIPE, SIG_IGN);
	catch(SIGTERM, on_signal);
	catch(SIGINT, attended ? SIG_IGN : on_signal);
	catch(SIGHUP, attended ? SIG_IGN : on_signal);
}

static void
allow_descriptors(long slots)
{
	long need = slots + SPARE, may = descriptors_allow(need);

	if (may < need)
		fail(STATUS_TROUBLE, "%ld tokens need %ld open files, and this process may have %ld", slots,
		    need, may);
}

/* The attendant is a part of a pipeline that the script started: the parent of
   the shell that started us. */
static void
watch_script(struct dispenser *d)
{
	pid_t parent = getppid();

	if (d->watched > 0) { /* -W: it waits for our first word, so the pid is its own */
		d->watch = family_watch(d->watched);
		return;
	}
	d->watched = family_parent(parent);
	if (d->watched <= 1 || getppid() != parent) {
		d->watched = 0;
		return;
	}
	d->watch = family_watch(d->watched);
	if (family_parent(parent) != d->watched) { /* died meanwhile: whose pid is that now? */
		if (d->watch >= 0)
			close(d->watch);
		d->watch = -1;
		d->watched = 0;
	}
}

static void
ask_to_stop(struct dispenser *d, const char *reason)
{
	if (d->lines && !d->asked)
		attendant_say("stop %s\n", reason);
	d->asked = 1;
	if (!d->answers)
		d->ending = 1;
}

static void
warn_of_junk(struct dispenser *d, const char *where)
{
	if (!d->warned)
		complain("%s: junk on the %s ignored", d->claim.path, where);
	d->warned = 1;
}

static int
is_request(const char *request, const char *text, size_t length)
{
	return strlen(request) == length && memcmp(request, text, length) == 0;
}

/* A client that asks, "get NAME ..." and its kin, where none are served: 0, or -1
   when it is something else. */
static int
turn_away(const struct dispenser *d, const char *text, size_t length)
{
	char line[NAMES_FILE * 2] = "", file[NAMES_FILE], *verb, *name;

	memcpy(line, text, length < sizeof line ? length : sizeof line - 1);
	if ((verb = strtok(line, " ")) == NULL || (name = strtok(NULL, " ")) == NULL ||
	    (strcmp(verb, "get") != 0 && strcmp(verb, "stat") != 0 && strcmp(verb, "share") != 0) ||
	    names_file(file, name) != 0)
		return -1;
	names_answer(d->claim.dir, file, "no attendant\n");
	return 0;
}

static void
take_request(struct dispenser *d, const char *text, size_t length)
{
	if (is_request("end", text, length))
		d->ending = 1;
	else if (is_request("brief", text, length))
		d->jobs.brief = 1;
	else if (is_request("times", text, length))
		d->jobs.times = 1;
	else if (d->jobs.borrow.on && is_request("want", text, length))
		borrow_want(&d->jobs.borrow, &d->jobs.slots);
	else if (is_request("stop", text, length))
		ask_to_stop(d, "asked");
	else if (is_request("stop now", text, length))
		d->now = 1;
	else if ((d->serving ? clients_request(&d->clients, text, length)
	                     : turn_away(d, text, length)) != 0)
		warn_of_junk(d, "inlet");
}

/* Single letters are the seed's language, for an attendant that reads bytes.
   To one that reads lines a token comes back only by its lease. */
static void
inlet_word(void *context, enum word word, const char *text, size_t length, int clean)
{
	struct dispenser *d = context;

	if (word == WORD_LINE)
		take_request(d, text, length);
	else if (word == WORD_RETURN && d->bytes)
		attendant_fill('C', 1);
	else if (word == WORD_RETURN && d->serving && clean && clients_return(&d->clients) == 0)
		return;
	else if (word == WORD_STOP && (clean || d->bytes))
		d->ending = 1;
	else
		warn_of_junk(d, "inlet");
}

static int
ask_for(struct dispenser *d, int fd, short *now, short events)
{
	if (*now == events)
		return 0;
	*now = events;
	return news_change(&d->news, fd, events);
}

/* How long to wait for news, in ms, or -1: the clock matters to nobody else. */
static int
patience(const struct dispenser *d)
{
	long long left;

	if (d->watched > 0 && d->watch < 0)
		return TICK;
	if (!d->serving)
		return (int)jobs_patience(&d->jobs);
	if (d->idle == 0 || clients_busy(&d->clients))
		return (int)clients_patience(&d->clients);
	left = d->used + d->idle - clock_now();
	return left < 0 ? 0 : (int)left;
}

/* While the attendant leaves much unread, messages stay where they are: it is
   their writers who wait then. A closed lease is still news. */
static int
wait_for_news(struct dispenser *d)
{
	int full = attendant_waiting() > FULL;

	if (ask_for(d, d->claim.inlet, &d->inlet_events, full && d->bytes ? 0 : POLLIN) == 0 &&
	    ask_for(d, STDOUT_FILENO, &d->output_events, attendant_waiting() > 0 ? POLLOUT : 0) == 0 &&
	    slots_hear(&d->jobs.slots, full) == 0 && news_wait(&d->news, patience(d)) == 0)
		return 0;
	complain("%s:", d->claim.path);
	return -1;
}

static void
script_ended(struct dispenser *d)
{
	if (d->watch >= 0) {
		news_remove(&d->news, d->watch);
		close(d->watch);
	}
	d->watch = -1;
	d->watched = 0;
	if (d->jobs.borrow.on)
		borrow_end(&d->jobs.borrow, &d->jobs.slots);
	ask_to_stop(d, "orphan");
}

/* What tokend waits on, besides the leases. */
static int
listen_to(struct dispenser *d)
{
	d->inlet_events = POLLIN;
	d->output_events = 0;
	if (news_open(&d->news) == 0 && news_add(&d->news, d->claim.inlet, POLLIN) == 0 &&
	    (!(d->lines || d->bytes) || news_add(&d->news, STDOUT_FILENO, 0) == 0) &&
	    (d->watch < 0 || news_add(&d->news, d->watch, POLLIN) == 0))
		return 0;
	complain("%s:", d->claim.path);
	return -1;
}

static void
announce(struct dispenser *d)
{
	if (d->bytes)
		attendant_fill('C', d->count);
	if (d->lines && d->answers)
		attendant_say("ready %ld%s\n", d->recover ? 0 : d->count, d->jobs.borrow.on ? " want" : "");
	if (d->lines)
		jobs_announce(&d->jobs, d->labels.list, d->labels.count);
	if (d->lines && d->recover)
		ask_to_stop(d, "killed");
	if (d->background >= 0)
		background_ready(d->background);
}

/* Returns -1 when there is nobody left to serve. */
static int
take_news(struct dispenser *d)
{
	short events;
	int fd;

	while (news_next(&d->news, &fd, &events)) {
		if (fd == d->claim.inlet)
			words_read(fd, '@', inlet_word, d);
		else if (fd == d->watch)
			script_ended(d);
		else if (d->serving ? clients_event(&d->clients, fd, events)
		                    : jobs_event(&d->jobs, fd, events))
			continue;
		else if (events & (POLLERR | POLLNVAL))
			return -1; /* standard output: the reader is gone */
	}
	if (d->jobs.junk)
		warn_of_junk(d, "lease of a job");
	d->jobs.junk = 0;
	return 0;
}

static int
all_home(struct dispenser *d)
{
	return d->serving ? d->clients.pool.out == 0 : slots_held(&d->jobs.slots) == 0;
}

/* -x, and the end that was asked for: nobody is granted anything then. */
static void
look_at_the_end(struct dispenser *d)
{
	if (!d->serving) {
		jobs_tick(&d->jobs);
		return;
	}
	clients_tick(&d->clients);
	if (clients_busy(&d->clients))
		d->used = clock_now();
	else if (d->idle > 0 && clock_now() - d->used >= d->idle)
		d->ending = 1;
	if (d->ending && !d->clients.closing)
		clients_stop(&d->clients);
}

/* Until the last token is home, or nobody is left who would want one. */
static int
serve(struct dispenser *d)
{
	int status = STATUS_DONE;

	while (!d->now && (!d->ending || !all_home(d))) {
		if (attendant_flush() != 0)
			break;
		if (wait_for_news(d) != 0) {
			status = STATUS_TROUBLE;
			break;
		}
		if (clients_busy(&d->clients))
			d->used = clock_now(); /* while we waited; what is taken now may end that */
		if (take_news(d) != 0)
			break;
		if (d->watched > 0 && d->watch < 0 && family_ended(d->watched))
			script_ended(d);
		if (signalled) {
			signalled = 0;
			ask_to_stop(d, "asked");
		}
		look_at_the_end(d);
	}
	if (d->bytes)
		attendant_fill('.', 1);
	return status;
}

static int
open_tokens(struct dispenser *d)
{
	d->clients.mode = d->mode;
	if (d->serving) {
		descriptors_allow(MOST_TOKENS + SPARE); /* or as many as may be: the pool can grow */
		return clients_open(&d->clients, &d->news, d->claim.dir, d->count, d->labels.list, d->labels.count);
	}
	d->jobs.lines = d->lines;
	d->jobs.recover = d->recover;
	return slots_open(&d->jobs.slots, &d->news, d->claim.dir,
	    (size_t)(d->bytes || d->recover ? 0 : d->count), d->recover);
}

/* From the claim on: what is made here is gone when it returns. */
static int
dispense(struct dispenser *d)
{
	int status = STATUS_TROUBLE;

	if (d->answers)
		watch_script(d);
	if (listen_to(d) == 0) {
		if (open_tokens(d) == 0) {
			d->ending = d->recover && !d->lines;
			d->used = clock_now();
			announce(d);
			status = serve(d);
		}
		if (d->serving)
			clients_close(&d->clients);
		else
			slots_close(&d->jobs.slots);
	}
	claim_release(&d->claim);
	attendant_flush();
	news_close(&d->news);
	return status;
}

static void
usage(FILE *to, int status)
{
	fputs(USAGE "\n", to);
	exit(status);
}

static void
set_mode(struct dispenser *d, const char *text)
{
	char *end;
	long mode = strtol(text, &end, 8);

	if (*text < '0' || *text > '7' || *end != '\0' || mode > 0777 || (mode & 0600) != 0600)
		fail(STATUS_TROUBLE, "-m %s: not a mode, as 660, that lets its owner read and write", text);
	d->mode = (int)mode;
}

static long long
milliseconds(int option, const char *text)
{
	long long ms;

	if (number_ms(text, &ms) != 0 || ms == 0)
		fail(STATUS_TROUBLE, "-%c %s: not a number of seconds", option, text);
	return ms;
}

/* -u: returns how many jobs the parent allows at once. */
static long
borrow_from(struct dispenser *d, const char *parent, long processors)
{
	const char *why;

	if (strcmp(parent, "make") != 0)
		fail(STATUS_TROUBLE, "-u %s: only make is known as a parent", parent);
	d->jobs.borrow.on = jobserver_open(1, &why) == 0 || why != NULL;
	if (why != NULL)
		complain("warning: one job at a time, for make's jobserver cannot be used: %s", why);
	return !d->jobs.borrow.on ? processors : why != NULL ? 1 : jobserver_jobs();
}

/* Which options go together: 0 when these do not. */
static int
agree(const struct dispenser *d, int for_clients)
{
	if (d->serving)
		return !d->answers && d->jobs.limit == 0 && d->jobs.deadline == 0;
	return d->lines + d->bytes < 2 && !for_clients &&
	    !(d->bytes && (d->recover || d->labels.count || d->answers));
}

static const char *
read_options(struct dispenser *d, int argc, char **argv)
{
	long watched, processors = processors_usable("");
	const char *counted = NULL, *parent = NULL;
	int option, for_clients = 0;

	while ((option = getopt(argc, argv, "aA:bcf:g:hjJ:l:L:m:M:n:rs:u:wW:Vx:")) != -1)
		switch (option) {
		case 'a': d->lines = 1; break;
		case 'A':
			if (limits_scan_load(optarg, &d->clients.limits.ceiling) != 0)
				fail(STATUS_TROUBLE, "-A %s: not a load average", optarg);
			for_clients = 1;
			break;
		case 'b': d->background = 1; for_clients = 1; break;
		case 'c': d->bytes = 1; break;
		case 'f': labels_read(&d->labels, optarg); break;
		case 'g':
			if (number_scan(optarg, 1, MOST_TOKENS, &d->clients.limits.least) != 0)
				fail(STATUS_TROUBLE, "-g %s: not a number of tokens", optarg);
			for_clients = 1;
			break;
		case 'h': usage(stdout, STATUS_DONE); break;
		case 'j': d->builds = 1; for_clients = 1; break;
		case 'J':
			if (number_scan(optarg, 1, MOST_TOKENS, &d->clients.cap) != 0)
				fail(STATUS_TROUBLE, "-J %s: not a number of tokens", optarg);
			d->builds = 1;
			for_clients = 1;
			break;
		case 'l': d->jobs.limit = milliseconds(option, optarg); break;
		case 'L': d->jobs.deadline = clock_now() + milliseconds(option, optarg); break;
		case 'm': set_mode(d, optarg); for_clients = 1; break;
		case 'M':
			if (limits_scan_size(optarg, &d->clients.limits.floor) != 0)
				fail(STATUS_TROUBLE, "-M %s: not a size, as 500M or 2G", optarg);
			for_clients = 1;
			break;
		case 'n': counted = optarg; break;
		case 'r': d->recover = 1; break;
		case 's': labels_add(&d->labels, optarg); break;
		case 'u': parent = optarg; break;
		case 'w': d->answers = 1; break;
		case 'W':
			if (number_scan(optarg, 2, 0x7fffffff, &watched) != 0)
				fail(STATUS_TROUBLE, "-W %s: not a pid", optarg);
			d->watched = (pid_t)watched;
			d->answers = 1;
			break;
		case 'V': puts("tokend " VERSION); exit(STATUS_DONE);
		case 'x':
			if (number_scan(optarg, 1, 1000000, &d->idle) != 0)
				fail(STATUS_TROUBLE, "-x %s: not a number of seconds", optarg);
			d->idle *= 1000;
			for_clients = 1;
			break;
		default: usage(stderr, STATUS_TROUBLE);
		}
	d->serving = !d->lines && !d->bytes && !d->recover;
	if (argc - optind != 1 || !agree(d, for_clients) || (parent != NULL && (!d->lines || d->recover)))
		usage(stderr, STATUS_TROUBLE);
	if (parent != NULL)
		processors = borrow_from(d, parent, processors);
	if (counted != NULL && count_scan(counted, processors, MOST_TOKENS, &d->count) != 0)
		fail(STATUS_TROUBLE, "-n %s: not a count of tokens (1 to %d, P%%, +K, -K)", counted, MOST_TOKENS);
	if (counted == NULL)
		d->count = d->labels.count > 0 ? d->labels.count : processors;
	if (d->labels.count > d->count && d->jobs.borrow.on)
		d->count = d->labels.count;
	if (d->labels.count > d->count)
		fail(STATUS_TROUBLE, "%ld labels for %ld tokens", d->labels.count, d->count);
	return argv[optind];
}

int
main(int argc, char **argv)
{
	struct dispenser d = {0};
	const char *path;
	int status;

	program = "tokend";
	d.watch = -1;
	d.mode = 0600;
	d.clients.limits.ceiling = -1;
	d.clients.limits.least = 1;
	path = read_options(&d, argc, argv);
	if ((d.lines || d.bytes) && fcntl(STDOUT_FILENO, F_GETFD) < 0)
		fail(STATUS_TROUBLE, "standard output:");
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	limits_open(&d.clients.limits);
	if (d.builds && (d.clients.builds_path = makeflags_path(path, ".d")) == NULL)
		return STATUS_TROUBLE;
	umask(0); /* all modes are given in full */
	signal(SIGCHLD, SIG_DFL); /* ignored, it would leave nothing to wait for */
	allow_descriptors(d.bytes || d.recover ? 0 : d.count);
	d.background = d.background ? background_begin() : -1;
	if ((status = claim_take(&d.claim, path, d.mode)) != STATUS_DONE)
		exit(status);
	inlet_keep = d.claim.keep;
	catch_signals(&d);
	status = dispense(&d);
	labels_clear(&d.labels);
	return status;
}
