#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/background.h"
#include "../lib/clock.h"
#include "../lib/descriptors.h"
#include "../lib/secret.h"
#include "../lib/status.h"
#include "../places/beat.h"
#include "../places/session.h"
#include "../places/shell.h"
#include "../places/transport.h"
#include "abroad.h"
#include "brood.h"
#include "lender.h"
#include "wish.h"

/* The holder of the token there. Two processes have the lease, so that a kill of one of them does
   not give it back. TERM is not from us: the command here must end first. The holder's name comes
   first, for tokstat to show. It counts beats, too, should nobody else there be left to do so. */
#define HOLD ": held for %.64s, process %ld; trap 'wait; exit' USR1; trap 'echo lost' TERM; " \
	"printf '%%s\\n' \"granted $JOBCTL_SLOT\" \"$JOBCTL_LABEL\" %s; sleep 9999999 & " \
	"n=0 last=; while [ $n -lt %ld ]; do " \
	"sleep " BEAT_FORMAT " & while kill -0 $!; do wait $!; done; " \
	"beat=; read -r beat _ <\"$_jH/beat\"; " \
	"n=$((n + 1)); [ \"$beat\" = \"$last\" ] || n=0; last=$beat; " \
	"done 2>/dev/null; rm -rf \"$_jH\"; kill -s KILL 0"

/* of the names of machines */
#define LETTERS "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

enum { LEASE, GUARD, SESSION, FDS = SESSION + SESSION_FDS };
enum { SOON = 20 /* ms until who was sent KILL is looked for again */ };
enum { KEPT = 100 /* ms of grace for what holds the token there, which needs none */ };

struct loan {
	const struct lender *terms;
	struct session session;
	struct outbox said;    /* by who holds it there: slots, labels; more, should it end */
	size_t whole;          /* bytes of said that are slots and labels, once these are known */
	int asked;             /* the job was started */
	int lost, over;        /* nobody uses it any more */
	long long told;        /* of answers, the last */
	char mark[24];         /* a line that ends the labels */
	struct brood brood;    /* the guard, and the command */
	int guard;             /* as in terms; -1 when the guard has gone */
	int closed;            /* the lease: who used the token has ended, or closed it */
	long long kill;        /* when they are sent KILL, or 0 */
	int dead;              /* they are */
};

long long
lender_limit(long beat_ms)
{
	return (long long)BEAT_MISSED * beat_ms;
}

long long
lender_grace(long beat_ms)
{
	return beat_ms;
}

static void
tell(const struct loan *l, const char *what, const char *text)
{
	char line[256];
	int length = snprintf(line, sizeof line, "%s %.200s\n", what, text);

	if (write(l->terms->news, line, (size_t)length) < 0)
		return; /* the reader has gone, which the lease tells */
}

static void
tick(const struct loan *l, long long time)
{
	if (write(l->terms->ticks, &time, sizeof time) < 0)
		return; /* the guard has gone, or is stopped for long: it then finds an old one */
}

/* At the latest when the guard would send it, for that may be stopped. */
static void
kill_later(struct loan *l)
{
	long long grace = lender_grace(l->terms->beat_ms),
	    most = l->told + lender_limit(l->terms->beat_ms) + grace;

	if (l->brood.group == 0 || l->kill != 0)
		return;
	l->kill = clock_now() + grace;
	l->kill = l->kill < most ? l->kill : most;
}

static void
lose(struct loan *l, const char *why)
{
	if (l->lost || l->over)
		return;
	l->lost = 1;
	tell(l, l->whole > 0 ? "lost" : "never", why);
	tick(l, LENDER_LOST);
	kill_later(l);
	background_leave(STDERR_FILENO);
}

/* Nobody uses it: it goes home. */
static void
end(struct loan *l)
{
	l->over = 1;
	session_close(&l->session);
}

/* Text for sh. */
static void
write_hold(const struct loan *l, struct outbox *words)
{
	char name[65] = "", hold[768];

	if (gethostname(name, sizeof name - 1) != 0 || name[strspn(name, LETTERS)] != '\0')
		snprintf(name, sizeof name, "another machine");
	snprintf(hold, sizeof hold, HOLD, name, (long)getppid(), l->mark,
	    beat_held(l->terms->beat_ms), (double)l->terms->beat_ms / 1000);
	outbox_say(words, " sh -c ");
	shell_word(words, hold);
	outbox_add(words, "", 1);
}

static void
write_job(const struct loan *l, const struct wish *wish, struct outbox *words)
{
	long long wait = clock_wait_ms(wish->until);

	outbox_say(words, "sh -c ");
	shell_word(words, ABROAD_RUN);
	outbox_say(words, " tokget ");
	shell_word(words, l->terms->host);
	outbox_say(words, " -x -j none -p %s -k %s ", wish->priority, wish->count);
	if (wish->now)
		outbox_say(words, "-n ");
	else if (wish->until >= 0)
		outbox_say(words, "-t %lld.%03lld ", wait / 1000, wait % 1000);
	if (wish->start != NULL) {
		outbox_say(words, "-N ");
		shell_word(words, wish->start);
	}
	outbox_say(words, " -- ");
	shell_word(words, l->terms->fifo);
	write_hold(l, words);
}

static void
ask(struct loan *l, const struct wish *wish)
{
	struct outbox words = {0};

	l->asked = 1;
	write_job(l, wish, &words);
	if (words.lost || session_start(&l->session, "", outbox_bytes(&words)) != 0) {
		lose(l, "no memory");
		end(l);
	}
	outbox_drop(&words);
}

/* How many bytes are slots and labels, to the line that is our mark; 0: not yet all. Bytes
   behind it are none of these. */
static size_t
length_of_grant(const struct loan *l)
{
	const char *text = outbox_bytes(&l->said), *end = text + outbox_waits(&l->said);
	size_t length = strlen(l->mark);

	for (; (text = memchr(text, '\n', (size_t)(end - text))) != NULL; text++)
		if ((size_t)(end - text) > length + 1 &&
		    memcmp(text + 1, l->mark, length) == 0 && text[1 + length] == '\n')
			return (size_t)(text + length + 2 - outbox_bytes(&l->said));
	return 0;
}

/* To our caller, with a NUL for the mark. */
static void
grant(struct loan *l)
{
	struct outbox text = {0};

	l->told = l->session.answered;
	tick(l, l->told);
	outbox_add(&text, outbox_bytes(&l->said), l->whole - strlen(l->mark) - 1);
	outbox_add(&text, "", 1); /* no line of text has it: the end */
	if (text.lost)
		lose(l, "no memory");
	else if (write(l->terms->news, outbox_bytes(&text), outbox_waits(&text)) < 0)
		lose(l, "nobody wants it"); /* and so it is given back */
	outbox_drop(&text);
}

/* A message of the job there is for who reads ours, as far as there is room now: we do not wait. */
static void
pass_on(const char *bytes, size_t length)
{
	if (descriptors_poll(STDERR_FILENO, POLLOUT, 0) & POLLOUT &&
	    write(STDERR_FILENO, bytes, length < PIPE_BUF ? length : PIPE_BUF) < 0)
		return; /* the reader has gone */
}

/* Output of the job there. */
static void
hear(void *context, int stream, const char *bytes, size_t length)
{
	struct loan *l = context;

	if (stream == 1) {
		if (!l->over)
			pass_on(bytes, length);
		return;
	}
	if (outbox_add(&l->said, bytes, length) != 0) {
		lose(l, "no memory");
		return;
	}
	if (l->whole == 0 && (l->whole = length_of_grant(l)) > 0)
		grant(l);
	if (l->whole > 0 && outbox_waits(&l->said) > l->whole)
		lose(l, "the process that holds the token there is to end");
}

/* Its job has ended: there is no token, or none any more. */
static void
take_end(struct loan *l, int status)
{
	char text[16];

	if (l->whole > 0 || status > 128) {
		lose(l, l->whole > 0 ? "the process that holds the token there was "
		    "killed" : "tokget was killed there");
		return;
	}
	snprintf(text, sizeof text, "%d", status);
	tell(l, "status", text);
	end(l);
}

/* Follows the session into its next state. */
static void
follow(struct loan *l, const struct wish *wish)
{
	struct session *s = &l->session;

	if (!l->asked && !l->over && wish->until >= 0 && clock_wait_ms(wish->until) == 0)
		take_end(l, STATUS_NO_TOKEN);
	else if (s->state == SESSION_READY && !l->asked)
		ask(l, wish);
	else if (s->job == JOB_ENDED && !l->over && !l->lost)
		take_end(l, s->status);
	if (s->state == SESSION_GONE && !l->asked)
		lose(l, s->saved[0] != '\0' ? s->saved : "it ended at once");
	else if (s->state >= SESSION_CLOSING && !s->ordered)
		lose(l, "the connection was lost");
	if (l->whole > 0 && !l->lost && s->answered != l->told) {
		l->told = s->answered;
		tick(l, l->told);
	}
}

/* Its pid, and that of the command; or its end, which is that of what it guards. */
static void
hear_guard(struct loan *l)
{
	long pid;
	ssize_t n = read(l->guard, &pid, sizeof pid);

	if (n == (ssize_t)sizeof pid && l->brood.group == 0)
		l->brood.group = l->brood.command = (pid_t)pid;
	else if (n == (ssize_t)sizeof pid)
		l->brood.command = (pid_t)pid;
	if (n > 0 && l->lost)
		kill_later(l);
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	descriptors_close(&l->guard);
	if (l->over)
		return;
	lose(l, "the process that guards the command was killed");
	brood_signal(&l->brood, SIGTERM);
	kill_later(l);
}

/* A byte gives the token back. Else it is to be home only when nobody is at work with it. */
static void
hear_lease(struct loan *l)
{
	char byte;
	ssize_t n = read(l->terms->lease, &byte, 1);

	if (n == 0)
		l->closed = 1;
	else if (n > 0)
		end(l);
}

static void
kill_all(struct loan *l)
{
	if (l->kill == 0 || l->over || clock_wait_ms(l->kill) > 0)
		return;
	l->dead = brood_signal(&l->brood, SIGKILL) == 0;
	l->kill = l->dead ? 0 : clock_now() + SOON;
}

static void
wait_for_news(struct loan *l, const struct wish *wish)
{
	struct pollfd fds[FDS];
	long long wait = session_wait_ms(&l->session);

	fds[LEASE] = (struct pollfd){.fd = l->over || l->closed ? -1 : l->terms->lease,
	    .events = POLLIN};
	fds[GUARD] = (struct pollfd){.fd = l->guard, .events = POLLIN};
	session_poll(&l->session, fds + SESSION);
	if (l->kill != 0)
		wait = clock_sooner(wait, clock_wait_ms(l->kill));
	if (!l->asked && wish->until >= 0)
		wait = clock_sooner(wait, clock_wait_ms(wish->until));
	if (poll(fds, FDS, (int)wait) < 0)
		for (int i = 0; i < FDS; i++)
			fds[i].revents = 0;
	if (fds[LEASE].revents != 0)
		hear_lease(l);
	if (fds[GUARD].revents != 0)
		hear_guard(l);
	if (l->session.state != SESSION_GONE)
		session_serve(&l->session, fds + SESSION);
	kill_all(l);
	if (l->closed && !l->over && (l->brood.group == 0 || (l->guard < 0 && l->dead)))
		end(l);
}

void
lender_run(const struct lender *lender, const struct wish *wish)
{
	struct loan l = {.terms = lender, .guard = lender->guard};
	struct session_terms terms = {.transport = transport_words(lender->host, 0),
	    .beat_ms = lender->beat_ms, .grace_ms = KEPT, .holds = 1, .data = hear, .context = &l};
	const int ours[] = {lender->lease, lender->guard, lender->ticks, lender->news};
	unsigned long long secret = 0;
	int error = terms.transport == NULL || secret_make(&secret) != 0 ? errno : 0;

	background_close_others(ours, sizeof ours / sizeof *ours);
	if (error == 0)
		error = session_open(&l.session, &terms);
	snprintf(l.mark, sizeof l.mark, "@%016llx", secret);
	if (error != 0) {
		tell(&l, "never", error == EINVAL ? "JOBCTL_RSH is empty" : strerror(error));
		return;
	}
	while (!l.over || l.session.state != SESSION_GONE) {
		wait_for_news(&l, wish);
		follow(&l, wish);
	}
}
