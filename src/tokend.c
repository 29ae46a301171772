/*
 * tokend -- the dispenser: hands out tokens over a named FIFO.
 *
 * A token is out for as long as somebody has the write end of its lease open
 * (lease.h). The attendant, one shell that reads our standard output, is told
 *
 *	ready N		(with -w) the dispenser is there, and has N tokens
 *	slot K LABEL	slot K has a label
 *	free L		lease L may be opened: a token
 *	done L SECONDS	lease L was closed, SECONDS after it began; L is free
 *	L		the same, once it has written "@brief" into the inlet
 *	early L M	the holder of L gave its token back; M is free instead of L
 *	gone L SECONDS	lease L, early before, was closed; nothing is free by it
 *	said L TEXT	the holder of L wrote ":TEXT"
 *	stop REASON	start nothing more; answer "@end" when your jobs are done
 *
 * or, with -c, in single bytes: 'C' for a token, '.' for the end.
 */
#include <sys/resource.h>
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
#include "claim.h"
#include "clock.h"
#include "complain.h"
#include "family.h"
#include "lease.h"
#include "news.h"
#include "processors.h"
#include "slots.h"
#include "status.h"
#include "words.h"

#define USAGE "usage: tokend -a|-c|-r [-w] [-n count] [-s label]... FIFO"

enum {
	MOST = 1000000,     /* tokens in one dispenser */
	SPARE = 10,         /* descriptors besides those of the slots */
	FULL = 65536,       /* bytes the attendant may leave unread before we read no more */
	TICK = 1000         /* ms between two looks at the watched process, if need be */
};

struct dispenser {
	struct claim claim;
	struct slots slots;
	struct news news;
	short inlet_events;  /* what we asked for of the inlet ... */
	short output_events; /* ... and of standard output */
	long count;          /* -n */
	char **labels;       /* -s, of slots 1... */
	long labelled;
	int lines, bytes;    /* -a, -c: what the attendant reads */
	int recover;         /* -r: only wind up what a dead dispenser left */
	int answers;         /* -w: the attendant answers "stop" with "@end" */
	pid_t watched;       /* -w: the script that the attendant belongs to, or 0 */
	int watch;           /* descriptor that tells of its end, or -1 */
	int brief;           /* it wants no seconds */
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

/* With 0, 1 or 2 closed, the next open would get that number, and a message
   would go into the lock. */
static void
fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	close(fd);
}

static void
allow_descriptors(long slots)
{
	struct rlimit limit;
	rlim_t need = (rlim_t)slots + SPARE;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    limit.rlim_cur >= need)
		return;
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= need) {
		limit.rlim_cur = need;
		if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
			return;
	}
	fail(STATUS_TROUBLE, "%ld tokens need %ld open files, and this process may have %ld", slots,
	    (long)need, (long)limit.rlim_max);
}

/* The attendant is a part of a pipeline that the script started: the parent of
   the shell that started us. */
static void
watch_script(struct dispenser *d)
{
	pid_t parent = getppid();

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

static void
take_request(struct dispenser *d, const char *text, size_t length)
{
	if (is_request("end", text, length))
		d->ending = 1;
	else if (is_request("brief", text, length))
		d->brief = 1;
	else if (is_request("stop", text, length))
		ask_to_stop(d, "asked");
	else if (is_request("stop now", text, length))
		d->now = 1;
	else
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
	else if (word == WORD_STOP && (clean || d->bytes))
		d->ending = 1;
	else
		warn_of_junk(d, "inlet");
}

struct lease_news {
	struct dispenser *d;
	struct lease *lease;
	char name[LEASE_NAME];
	int returned;
};

/* The attendant is a shell, whose read(1) wants text. */
static int
is_text(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\t')
			return 0;
	return 1;
}

static void
lease_word(void *context, enum word word, const char *text, size_t length, int clean)
{
	struct lease_news *news = context;

	if (word == WORD_LINE && clean && is_text(text, length))
		attendant_say("said %s %.*s\n", news->name, (int)length, text);
	else if (word == WORD_BEGUN && clean)
		news->lease->since = clock_now();
	else if ((word == WORD_RETURN || word == WORD_STOP) && clean)
		news->returned = 1;
	else
		warn_of_junk(news->d, "lease of a job");
}

static void
say_closed(const char *word, const char *name, const struct lease *lease)
{
	long long ms = clock_now() - lease->since;

	attendant_say("%s %s %lld.%03lld\n", word, name, ms / 1000, ms % 1000);
}

static void
lease_came_home(struct dispenser *d, size_t i)
{
	struct lease *lease = d->slots.leases + i;
	char name[LEASE_NAME];
	int adopted = lease->adopted;

	lease_name(lease, name);
	if (i >= d->slots.count) {
		if (d->lines)
			say_closed("gone", name, lease);
		/* With -r the attendant may be about to open any lease there is. */
		if (!d->recover || slots_renew(&d->slots, i) != 0)
			slots_drop(&d->slots, i);
		return;
	}
	if (slots_renew(&d->slots, i) != 0) {
		complain("slot %u is withdrawn:", lease->slot);
		if (d->lines)
			say_closed("gone", name, lease);
		return;
	}
	if (d->lines && adopted)
		attendant_say("free %s\n", name); /* not a job of this attendant */
	else if (d->lines && d->brief)
		attendant_say("%s\n", name);
	else if (d->lines)
		say_closed("done", name, lease);
	lease->since = clock_now();
}

/* Where there is no descriptor or memory for another lease, the token simply
   comes home with the one it has. */
static void
lease_returned(struct dispenser *d, size_t i)
{
	char name[LEASE_NAME], fresh[LEASE_NAME];

	if (i >= d->slots.count || slots_retire(&d->slots, i) != 0)
		return;
	lease_name(d->slots.leases + d->slots.total - 1, name);
	lease_name(d->slots.leases + i, fresh);
	d->slots.leases[i].since = clock_now();
	if (d->lines)
		attendant_say("early %s %s\n", name, fresh);
}

static void
lease_event(struct dispenser *d, size_t i, short events)
{
	struct lease_news news = {0};
	int closed = 1;

	news.d = d;
	news.lease = d->slots.leases + i;
	if (events & POLLIN) {
		lease_name(news.lease, news.name);
		closed = words_read(news.lease->fd, ':', lease_word, &news) == 0;
	}
	if (closed)
		lease_came_home(d, i);
	else if (news.returned)
		lease_returned(d, i);
}

static int
ask_for(struct dispenser *d, int fd, short *now, short events)
{
	if (*now == events)
		return 0;
	*now = events;
	return news_change(&d->news, fd, events);
}

/* While the attendant leaves much unread, messages stay where they are: it is
   their writers who wait then. A closed lease is still news. */
static int
wait_for_news(struct dispenser *d)
{
	int full = attendant_waiting() > FULL;
	int tick = d->watched > 0 && d->watch < 0;

	if (ask_for(d, d->claim.inlet, &d->inlet_events, full && d->bytes ? 0 : POLLIN) == 0 &&
	    ask_for(d, STDOUT_FILENO, &d->output_events, attendant_waiting() > 0 ? POLLOUT : 0) == 0 &&
	    slots_hear(&d->slots, full) == 0 && news_wait(&d->news, tick ? TICK : -1) == 0)
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
	char name[LEASE_NAME];
	size_t i;

	if (d->bytes)
		attendant_fill('C', d->count);
	if (!d->lines)
		return;
	if (d->answers)
		attendant_say("ready %zu\n", d->slots.count);
	for (i = 0; i < (size_t)d->labelled; i++)
		attendant_say("slot %zu %s\n", i + 1, d->labels[i]);
	for (i = 0; i < d->slots.count; i++) {
		d->slots.leases[i].since = clock_now();
		lease_name(d->slots.leases + i, name);
		if (!d->slots.leases[i].adopted)
			attendant_say("free %s\n", name);
	}
	if (d->recover)
		ask_to_stop(d, "killed");
}

/* Returns -1 when there is nobody left to serve. */
static int
take_news(struct dispenser *d)
{
	size_t i;
	short events;
	int fd;

	while (news_next(&d->news, &fd, &events)) {
		if (fd == d->claim.inlet)
			words_read(fd, '@', inlet_word, d);
		else if (fd == d->watch)
			script_ended(d);
		else if ((i = slots_find(&d->slots, fd)) < d->slots.total)
			lease_event(d, i, events);
		else if (events & (POLLERR | POLLNVAL))
			return -1; /* standard output: the reader is gone */
	}
	return 0;
}

/* Until the last token is home, or nobody is left who would want one. */
static int
serve(struct dispenser *d)
{
	int status = STATUS_DONE;

	while (!d->now && (!d->ending || slots_held(&d->slots) > 0)) {
		if (attendant_flush() != 0)
			break;
		if (wait_for_news(d) != 0) {
			status = STATUS_TROUBLE;
			break;
		}
		if (take_news(d) != 0)
			break;
		if (d->watched > 0 && d->watch < 0 && family_ended(d->watched))
			script_ended(d);
		if (signalled) {
			signalled = 0;
			ask_to_stop(d, "asked");
		}
	}
	if (d->bytes)
		attendant_fill('.', 1);
	return status;
}

/* From the claim on: what is made here is gone when it returns. */
static int
dispense(struct dispenser *d, long slots)
{
	int status = STATUS_TROUBLE;

	if (d->answers)
		watch_script(d);
	if (listen_to(d) == 0) {
		if (slots_open(&d->slots, &d->news, d->claim.dir, (size_t)slots, d->recover) == 0) {
			d->ending = d->recover && !d->lines;
			announce(d);
			status = serve(d);
		}
		slots_close(&d->slots);
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
add_label(struct dispenser *d, char *label)
{
	if (*label == '\0' || strchr(label, '\n') != NULL || strlen(label) > 1000)
		fail(STATUS_TROUBLE, "-s: a label is one line of 1 to 1000 bytes");
	d->labels[d->labelled++] = label;
}

static const char *
read_options(struct dispenser *d, int argc, char **argv)
{
	long processors = processors_usable("");
	int option, counted = 0;

	while ((option = getopt(argc, argv, "achn:rs:wV")) != -1)
		switch (option) {
		case 'a': d->lines = 1; break;
		case 'c': d->bytes = 1; break;
		case 'h': usage(stdout, STATUS_DONE); break;
		case 'n':
			if (count_scan(optarg, processors, MOST, &d->count) != 0)
				fail(STATUS_TROUBLE, "-n %s: not a count of tokens (1 to %d, P%%, +K, -K)",
				    optarg, MOST);
			counted = 1;
			break;
		case 'r': d->recover = 1; break;
		case 's': add_label(d, optarg); break;
		case 'w': d->answers = 1; break;
		case 'V': puts("tokend " VERSION); exit(STATUS_DONE);
		default: usage(stderr, STATUS_TROUBLE);
		}
	if (argc - optind != 1 || d->lines + d->bytes > 1 || d->lines + d->bytes + d->recover < 1 ||
	    (d->bytes && (d->recover || d->labelled || d->answers)))
		usage(stderr, STATUS_TROUBLE);
	if (!counted)
		d->count = d->labelled > 0 ? d->labelled : processors;
	if (d->labelled > d->count)
		fail(STATUS_TROUBLE, "%ld labels for %ld tokens", d->labelled, d->count);
	return argv[optind];
}

int
main(int argc, char **argv)
{
	struct dispenser d = {0};
	const char *path;
	long slots;
	int status;

	program = "tokend";
	d.watch = -1;
	if ((d.labels = calloc((size_t)argc, sizeof *d.labels)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	path = read_options(&d, argc, argv);
	if ((d.lines || d.bytes) && fcntl(STDOUT_FILENO, F_GETFD) < 0)
		fail(STATUS_TROUBLE, "standard output:");
	fill_standard_descriptors();
	slots = d.bytes || d.recover ? 0 : d.count;
	allow_descriptors(slots);
	if ((status = claim_take(&d.claim, path)) != STATUS_DONE)
		exit(status);
	inlet_keep = d.claim.keep;
	catch_signals(&d);
	status = dispense(&d, slots);
	free(d.labels);
	return status;
}
