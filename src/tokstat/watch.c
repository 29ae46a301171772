#include <sys/select.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "../display/screen.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/orders.h"
#include "../lib/outbox.h"
#include "../lib/status.h"
#include "tokstat.h"

#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"

enum { FRAME = 1000 /* ms between two frames */, PATIENCE = 500 /* ms, for a slow terminal */ };

/* Set while we draw: messages are read when the terminal is as it was. */
static struct watch {
	struct subject *subject;
	struct screen screen;
	int keys;              /* standard input if that is a terminal, or -1 */
	struct termios before;
	int ours, saved;       /* we have taken the terminal; before is what it was */
	struct outbox out;     /* the rest of a frame, which the terminal did not take */
	sigset_t mask;         /* while we wait */
	int quit;
} *drawn;

/* In one write, as a rule: nothing flickers. What a terminal does not take now, such as when Ctrl-S
   has stopped it, goes there later, or in that time. */
static void
write_out(struct watch *w, int ms)
{
	while (outbox_waits(&w->out) > 0 && descriptors_poll(w->screen.fd, POLLOUT, ms) != 0)
		if (outbox_write(&w->out, w->screen.fd, OUTBOX_ALL) != 0)
			fail(STATUS_TROUBLE, "standard output:");
	if (outbox_waits(&w->out) == 0)
		outbox_drop(&w->out);
}

static void
give_back(struct watch *w)
{
	if (!w->ours || !screen_is_foreground(w->screen.fd))
		return;
	w->ours = 0;
	complain_first = NULL;
	outbox_say(&w->out, LEAVE);
	write_out(w, PATIENCE);
	if (w->saved)
		tcsetattr(w->keys, TCSANOW, &w->before);
}

static int
give_way(const char *line)
{
	(void)line;
	give_back(drawn);
	return 0;
}

/* In the background the terminal is a shell's. 1 if it is ours. */
static int
take_terminal(struct watch *w)
{
	struct termios now;

	if (!screen_is_foreground(w->screen.fd) || (w->keys >= 0 && !screen_is_foreground(w->keys)))
		return 0;
	if (w->ours)
		return 1;
	if (descriptors_poll(w->screen.fd, POLLOUT, 0) == 0)
		return 0;
	w->saved = w->keys >= 0 && tcgetattr(w->keys, &w->before) == 0;
	if (w->saved) {
		now = w->before;
		now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		now.c_cc[VMIN] = 1;
		now.c_cc[VTIME] = 0;
		tcsetattr(w->keys, TCSANOW, &now);
	}
	outbox_say(&w->out, ENTER);
	w->ours = 1;
	drawn = w;
	complain_first = give_way;
	return 1;
}

static void
draw(struct watch *w)
{
	const struct subject *s = w->subject;
	long more;

	if (!take_terminal(w))
		return;
	write_out(w, 0);
	if (outbox_waits(&w->out) > 0)
		return;
	screen_measure(&w->screen);
	outbox_say(&w->out, "\033[H");
	more = view_draw(&w->out, s, w->screen.columns - 1, w->screen.rows - 1, w->screen.coloured,
	    "\033[K\r\n"); /* in the last column that would erase a character */
	outbox_say(&w->out, "\033[J\033[%d;1H%sq quit%s", w->screen.rows, w->screen.coloured
	    ? "\033[7m" : "", w->screen.coloured ? "\033[m" : "");
	if (s->late || s->trouble != 0)
		outbox_say(&w->out, "  %s", s->late ? "tokend does not answer"
		    : "not all can be read");
	if (more > 0) /* how many is not known: we did not ask for all */
		outbox_say(&w->out, "  there are more");
	outbox_say(&w->out, "\033[K");
	write_out(w, 0);
}

/* As the system would: stops us, if there is a shell that lets us go on again. */
static void
suspend(struct watch *w)
{
	struct sigaction ours, action = {.sa_handler = SIG_DFL};
	sigset_t one;

	orders_suspend = 0;
	give_back(w);
	sigemptyset(&action.sa_mask);
	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	sigaction(SIGTSTP, &action, &ours);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
	sigaction(SIGTSTP, &ours, NULL);
}

/* Until that time, or a key, or a signal. From the background nothing may be read. */
static void
wait_until(struct watch *w, long long due)
{
	int keys = take_terminal(w) ? w->keys : -1,
	    rest = outbox_waits(&w->out) > 0 ? w->screen.fd : -1;
	struct timespec span = clock_span(clock_wait_ms(due));
	char typed[64];
	fd_set in, out;
	ssize_t n;

	FD_ZERO(&in);
	FD_ZERO(&out);
	if (keys >= 0)
		FD_SET(keys, &in);
	if (rest >= 0)
		FD_SET(rest, &out);
	if (pselect((keys > rest ? keys : rest) + 1, &in, &out, NULL, &span, &w->mask) <= 0)
		return;
	if (rest >= 0 && FD_ISSET(rest, &out))
		write_out(w, 0);
	if (keys < 0 || !FD_ISSET(keys, &in))
		return;
	n = read(keys, typed, sizeof typed);
	w->quit = n > 0 && (memchr(typed, 'q', (size_t)n) || memchr(typed, 'Q', (size_t)n));
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		w->keys = -1;
}

void
watch_run(struct subject *subject)
{
	struct watch w = {.subject = subject, .keys = isatty(STDIN_FILENO) ? STDIN_FILENO : -1};
	int own = descriptors_unblocked(STDOUT_FILENO);
	long long due = 0;

	screen_open(&w.screen, own >= 0 ? own : STDOUT_FILENO);
	orders_open(&w.mask);
	orders_hear_terminal();
	while (!w.quit && orders_end == 0 && orders_interrupts == 0) {
		if (clock_wait_ms(due) == 0 || orders_resized) {
			subject_read(subject, w.screen.rows);
			if (subject->over)
				break;
			due = clock_now() + FRAME;
		}
		orders_resized = 0;
		draw(&w);
		wait_until(&w, due);
		if (orders_suspend)
			suspend(&w);
		if (orders_continued)
			w.ours = 0; /* somebody else may have set it meanwhile */
		orders_continued = 0;
	}
	give_back(&w);
	if (subject->over)
		subject_say_end(subject);
	orders_die();
}
