#include <sys/stat.h>

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tokend.h"

enum {
	FULL = 65536,       /* bytes the attendant may leave unread before we read no more */
	TICK = 1000         /* ms between two looks: at our names, and at the watched process */
};

/* For the signal handler: it writes a request into our own inlet, so that the wait ends, and
   sets the flag should the inlet be full. */
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

/* Ctrl-Z: a shell writes behind what a batch has drawn, which is to stay then. The dispenser itself
   goes on; it draws nothing while the terminal is another's. */
static volatile sig_atomic_t suspended;

static void
on_suspend(int sig)
{
	(void)sig;
	suspended = 1;
}

/* A terminal's signals reach the attendant as well: it says what they mean for us, or dies,
   and we see that. */
static void
catch_signals(const struct dispenser *d)
{
	struct sigaction was;

	orders_catch(SIGPIPE, SIG_IGN);
	orders_catch(SIGXFSZ, SIG_IGN); /* EFBIG is an error as others are */
	orders_catch(SIGTERM, on_signal);
	orders_catch(SIGINT, d->lines ? SIG_IGN : on_signal);
	if (d->lines)
		orders_catch(SIGQUIT, SIG_IGN);
	orders_catch(SIGHUP, d->lines ? SIG_IGN : on_signal);
	if (!d->lines || d->jobs.books.terms.progress == PROGRESS_NONE)
		return;
	orders_catch(SIGCONT, on_suspend); /* it takes away a SIGTSTP that waits */
	if (sigaction(SIGTSTP, NULL, &was) == 0 && was.sa_handler != SIG_IGN)
		orders_catch(SIGTSTP, on_suspend);
}

static void
ask_to_stop(struct dispenser *d, const char *reason)
{
	if (d->lines && !d->asked && d->gone)
		stops_say(&d->jobs, reason); /* a second reason, which the shell has to know */
	else if (d->lines && !d->asked)
		stops_now(&d->jobs, STATUS_GONE, reason);
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

/* A client that asks, "get NAME ..." and its kin, where none are served: 0, or -1 for anything
   else. */
static int
turn_away(const struct dispenser *d, const char *text)
{
	char name[NAMES_FILE], file[NAMES_FILE];

	if (sscanf(text, "%*s %55s", name) != 1 || names_file(file, name) != 0)
		return -1;
	names_answer(d->claim.dir, file, "no attendant\n", NULL);
	return 0;
}

static void
take_request(struct dispenser *d, const char *text, size_t length)
{
	if (strcmp(text, "end") == 0)
		d->ending = 1;
	else if (strcmp(text, "stop") == 0)
		ask_to_stop(d, "asked");
	else if (strcmp(text, "stop now") == 0)
		d->now = 1;
	else if ((d->serving ? asked_take(&d->clients, text, length)
	                     : turn_away(d, text)) != 0)
		warn_of_junk(d, "inlet");
}

/* A token comes back only by its lease. */
static void
inlet_word(void *context, enum word word, const char *text, size_t length, int clean)
{
	struct dispenser *d = context;

	if (word == WORD_LINE)
		take_request(d, text, length);
	else if (word == WORD_STOP && clean)
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

/* How long until -x ends us, who are unused, or until we look again, as slots rest; or -1. */
static long long
idle_ms(const struct dispenser *d)
{
	long long wait, rested;

	if (d->idle == 0 || clients_busy(&d->clients))
		return -1;
	wait = clock_wait_ms(d->used + d->idle);
	rested = pool_wait_ms(&d->clients.store.pool);
	return wait < rested ? rested : wait;
}

/* How long to wait for news, or -1: the clock matters to nobody else. */
static int
wait_ms(const struct dispenser *d)
{
	long long wait = d->serving ? clock_sooner(clients_wait_ms(&d->clients), idle_ms(d))
	    : jobs_wait_ms(&d->jobs);

	return (int)clock_sooner(wait, d->gone ? TICK : clock_wait_ms(d->look));
}

/* While the attendant leaves much unread, messages stay in the leases, and their writers wait.
   A closed lease is still news. */
static int
wait_for_news(struct dispenser *d)
{
	size_t unread = attendant_waits();

	if (ask_for(d, STDOUT_FILENO, &d->output_events, unread > 0 ? POLLERR | POLLOUT
	    : POLLERR) == 0 && leases_hear(&d->jobs.leases, unread > FULL) == 0 &&
	    news_wait(&d->news, wait_ms(d)) == 0)
		return 0;
	complain("%s:", d->claim.path);
	return -1;
}

static void
script_ended(struct dispenser *d)
{
	if (d->attends)
		jobs_left_open(&d->jobs);
	news_drop(&d->news, &d->watch);
	d->watched = 0;
	jobs_orphan(&d->jobs);
	ask_to_stop(d, "orphan");
	if (d->attends && !jobs_outlive(&d->jobs))
		d->now = 1;
}

/* Holders of our tokens hold those that we have borrowed. */
static void
tell_whose(const struct dispenser *d)
{
	if (d->clients.store.borrowing && held_note(d->claim.dir) != 0)
		complain("%s.d/" NAMES_WITHIN ":", d->claim.path);
}

/* Nobody can ask here any more. Clients that hold tokens are waited for; and until then the path is
   ours again, so that no other dispenser gives theirs to others. */
static void
hold_path(struct dispenser *d)
{
	news_forget(&d->news, d->claim.inlet);
	inlet_keep = -1;
	if (claim_again(&d->claim) == 0) {
		if (news_add(&d->news, d->claim.inlet, POLLIN) != 0)
			complain("%s:", d->claim.path);
	} else if (d->claim.lock < 0)
		complain("%s: a tokend that starts there now gives out tokens that are still held",
		    d->claim.path);
	inlet_keep = d->claim.keep;
	d->clients.store.dir = d->claim.dir; /* or -1 */
	tell_whose(d);
}

/* A cleaner of /tmp, or a person, may have taken our names away. And make may have ended, whose
   tokens ours are. */
static void
look_around(struct dispenser *d)
{
	if (d->gone || clock_wait_ms(d->look) > 0)
		return;
	d->look = clock_now() + TICK;
	d->ending |= d->serving && d->clients.store.borrowing &&
	    (jobserver_ended() || d->clients.store.first.gone);
	if (claim_stands(&d->claim) && (!d->lines || calls_stand(&d->jobs.calls))) {
		/* In zsh a trap may run while it has the bell open, which is not heard then. */
		if (d->lines) {
			shell_hear(&d->jobs);
			shell_serve(&d->jobs);
		}
		return;
	}
	d->gone = d->ending = 1;
	complain("%s or its directory was taken away; no more %s, and tokend waits for those that "
	    "are out", d->claim.path, d->lines ? "jobs are started" : "tokens are given");
	if (d->serving)
		hold_path(d);
	else if (d->lines)
		jobs_astray(&d->jobs);
}

/* Descriptors that tokend waits on, besides the leases. */
static int
listen_to(struct dispenser *d)
{
	d->output_events = POLLERR;
	if (news_open(&d->news) == 0 && news_add(&d->news, d->claim.inlet, POLLIN) == 0 &&
	    (!d->lines || news_add(&d->news, STDOUT_FILENO, POLLERR) == 0) &&
	    (d->watch < 0 || news_add(&d->news, d->watch, POLLIN) == 0))
		return 0;
	complain("%s:", d->claim.path);
	return -1;
}

/* Returns -1 when there is nobody left to serve. */
static int
take_news(struct dispenser *d)
{
	short events;
	int fd;

	while (news_next(&d->news, &fd, &events)) {
		if (fd == d->claim.inlet)
			words_read(fd, "@", inlet_word, d);
		else if (fd == d->watch)
			script_ended(d);
		else if (d->serving ? clients_event(&d->clients, fd, events)
		                    : jobs_event(&d->jobs, fd))
			continue;
		else if (fd == STDOUT_FILENO && (events & (POLLERR | POLLNVAL)))
			return -1; /* it has no reader; of a batch we are one */
	}
	if (d->jobs.junk != NULL)
		warn_of_junk(d, d->jobs.junk);
	d->jobs.junk = NULL;
	return 0;
}

static int
all_home(struct dispenser *d)
{
	return d->serving ? d->clients.store.pool.out == 0 : starts_open(&d->jobs) == 0;
}

/* Does what follows from the news, and looks at the end: -x, and the one that was asked for. */
static void
serve_turn(struct dispenser *d)
{
	if (!d->serving) {
		if (d->lines)
			jobs_serve(&d->jobs);
		return;
	}
	if (d->ending && d->clients.store.closing == NULL)
		clients_stop(&d->clients);
	clients_serve(&d->clients);
	if (clients_busy(&d->clients))
		d->used = clock_now();
	else if (idle_ms(d) == 0)
		d->ending = 1;
}

/* Until the last token is home, or nobody is left who would want one; of a batch, until the shell
   has been told of its end. */
static int
serve_until_end(struct dispenser *d)
{
	int status = STATUS_DONE;

	while (!d->now && (!d->ending || !all_home(d))) {
		if (attendant_flush() != 0 || (d->jobs.closed && attendant_waits() == 0))
			break;
		if (wait_for_news(d) != 0) {
			status = STATUS_TROUBLE;
			break;
		}
		if (suspended)
			progress_forget();
		suspended = 0;
		if (clients_busy(&d->clients))
			d->used = clock_now(); /* while we waited; what is taken now may end that */
		if (take_news(d) != 0)
			break;
		if (d->watched > 0 && d->watch < 0 && family_ended(d->watched))
			script_ended(d);
		look_around(d);
		if (signalled) {
			signalled = 0;
			ask_to_stop(d, "asked");
		}
		serve_turn(d);
	}
	return d->gone && status == STATUS_DONE ? STATUS_GONE : status;
}

/* A token has come home: a line. A log that cannot be written has said so, and the pool goes on. */
static void
log_use(void *context, const struct use *use)
{
	struct dispenser *d = context;
	struct end end = {.id = ++d->log.highest, .slot = use->slot, .ms = use->ms,
	    .host = *use->label != '\0' ? use->label : NULL, .status = use->status,
	    .signal = use->killed ? SIGKILL : 0};

	end.start = clock_span(clock_epoch() - use->ms);
	joblog_add(&d->log, &end, use->command != NULL ? use->command : "");
}

/* One that is there goes on, as of a tokend that was killed: 0, or -1 after a message. */
static int
open_log(struct dispenser *d)
{
	int result;

	if (d->joblog == NULL)
		return 0;
	umask(d->mask);
	result = joblog_open(&d->log, d->joblog, 1, 0);
	umask(0);
	table_close(&d->log.past);
	d->clients.store.used = log_use;
	d->clients.store.context = d;
	return result;
}

static int
open_tokens(struct dispenser *d)
{
	d->clients.store.mode = d->mode;
	d->clients.store.pool.pace = d->jobs.pace = &d->pace;
	if (d->serving) {
		descriptors_allow(MOST_TOKENS + DISPENSER_SPARE); /* the pool can grow */
		tell_whose(d);
		return clients_open(&d->clients, &d->news, d->claim.dir, d->count, d->labels.list,
		    (long)d->labels.count, d->claim.stale);
	}
	d->jobs.lines = d->lines;
	d->jobs.inherited = d->claim.stale;
	d->jobs.path = d->claim.path;
	d->jobs.ender.script = d->watched;
	return jobs_open(&d->jobs, &d->news, d->claim.dir,
	    (size_t)(d->recover ? 0 : d->count));
}

/* A dispenser that cannot take over, or cannot go on, leaves to the next one what tells who holds
   what. */
static void
leave_path(struct dispenser *d, int listening, int begun, int status)
{
	if (begun && d->serving && status == STATUS_TROUBLE && !all_home(d)) {
		claim_abandon(&d->claim);
	} else if (begun || !d->claim.found) {
		if (listening && d->serving && d->now)
			clients_stop(&d->clients);
		if (listening && d->serving)
			clients_close(&d->clients);
		else if (listening)
			jobs_close(&d->jobs);
		claim_release(&d->claim);
	} else {
		claim_undo(&d->claim);
	}
}

int
dispenser_run(struct dispenser *d)
{
	int status = STATUS_TROUBLE, listening, begun;

	inlet_keep = d->claim.keep;
	d->board.fd = -1;
	catch_signals(d);
	listening = listen_to(d) == 0;
	begun = listening && open_log(d) == 0 && open_tokens(d) == 0;
	if (begun) {
		d->ending = d->recover;
		d->used = clock_now();
		if (d->serving) /* a batch has its own */
			board_open(&d->board, "pool", 0, d->claim.path, "");
		if (d->lines)
			jobs_announce(&d->jobs, d->labels.list, (long)d->labels.count);
		if (d->background >= 0)
			background_ready(d->background, STDERR_FILENO);
		status = serve_until_end(d);
	}
	leave_path(d, listening, begun, status);
	board_close(&d->board);
	attendant_flush();
	news_close(&d->news);
	if (joblog_close(&d->log) != 0 && status == STATUS_DONE)
		status = STATUS_TROUBLE;
	return status;
}
