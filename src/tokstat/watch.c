#include <sys/select.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tokstat.h"

#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"

enum { FRAME = 1000 /* ms between two frames */, PATIENCE = 500 /* ms, for a slow terminal */ };

static struct watch {
	struct subject *subject;
	struct screen screen;
	int keys;              /* standard input if that is a terminal, or -1 */
	struct termios before;
	int ours, saved;       /* we have taken the terminal; before is what it was */
	struct outbox out;     /* the rest of a frame, which the terminal did not take */
	sigset_t mask;         /* while we wait */
	int quit;
} watch;

/* In one write, as a rule: nothing flickers. What a terminal does not take now, such as when Ctrl-S
   has stopped it, goes there later, or in that time. */
static void
write_out(int ms)
{
	while (outbox_waits(&watch.out) > 0 && descriptors_poll(watch.screen.fd, POLLOUT, ms) != 0)
		if (outbox_write(&watch.out, watch.screen.fd, OUTBOX_ALL) != 0)
			fail(STATUS_TROUBLE, "standard output:");
	if (outbox_waits(&watch.out) == 0)
		outbox_drop(&watch.out);
}

/* Messages are read when the terminal is as it was. */
static int
give_back_terminal(const char *line)
{
	(void)line;
	if (!watch.ours || !screen_is_foreground(watch.screen.fd))
		return 0;
	watch.ours = 0;
	complain_first = NULL;
	outbox_say(&watch.out, LEAVE);
	write_out(PATIENCE);
	if (watch.saved)
		tcsetattr(watch.keys, TCSANOW, &watch.before);
	return 0;
}

/* In the background the terminal is a shell's. 1 if it is ours. */
static int
take_terminal(void)
{
	struct termios now;

	if (!screen_is_foreground(watch.screen.fd) ||
	    (watch.keys >= 0 && !screen_is_foreground(watch.keys)))
		return 0;
	if (watch.ours)
		return 1;
	if (descriptors_poll(watch.screen.fd, POLLOUT, 0) == 0)
		return 0;
	watch.saved = watch.keys >= 0 && tcgetattr(watch.keys, &watch.before) == 0;
	if (watch.saved) {
		now = watch.before;
		now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		now.c_cc[VMIN] = 1;
		now.c_cc[VTIME] = 0;
		tcsetattr(watch.keys, TCSANOW, &now);
	}
	outbox_say(&watch.out, ENTER);
	watch.ours = 1;
	complain_first = give_back_terminal;
	return 1;
}

static void
draw_frame(void)
{
	const struct subject *s = watch.subject;
	const struct screen *screen = &watch.screen;
	struct outbox *out = &watch.out;
	long more;

	if (!take_terminal())
		return;
	write_out(0);
	if (outbox_waits(out) > 0)
		return;
	screen_measure(&watch.screen);
	outbox_say(out, "\033[H");
	more = view_draw(out, s, screen->columns - 1, screen->rows - 1, screen->coloured,
	    "\033[K\r\n"); /* in the last column that would erase a character */
	outbox_say(out, "\033[J\033[%d;1H%sq quit%s", screen->rows, screen->coloured
	    ? "\033[7m" : "", screen->coloured ? "\033[m" : "");
	if (s->late || s->trouble != 0)
		outbox_say(out, "  %s", s->late ? "tokend does not answer"
		    : "not all can be read");
	if (more != 0)
		outbox_say(out, more > 0 ? "  there are %ld more" : "  there are more", more);
	outbox_say(out, "\033[K");
	write_out(0);
}

/* As the system would: stops us, if there is a shell that lets us go on again. */
static void
suspend(void)
{
	void (*ours)(int);
	sigset_t one;

	orders_suspend = 0;
	give_back_terminal(NULL);
	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	ours = signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
	orders_catch(SIGTSTP, ours);
}

/* Until that time, or a key, or a signal. From the background nothing may be read. */
static void
wait_until(long long due)
{
	int keys = take_terminal() ? watch.keys : -1,
	    rest = outbox_waits(&watch.out) > 0 ? watch.screen.fd : -1;
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
	if (pselect((keys > rest ? keys : rest) + 1, &in, &out, NULL, &span, &watch.mask) <= 0)
		return;
	if (rest >= 0 && FD_ISSET(rest, &out))
		write_out(0);
	if (keys < 0 || !FD_ISSET(keys, &in))
		return;
	n = read(keys, typed, sizeof typed);
	watch.quit = n > 0 && (memchr(typed, 'q', (size_t)n) || memchr(typed, 'Q', (size_t)n));
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		watch.keys = -1;
}

void
watch_run(struct subject *subject)
{
	int own = descriptors_unblocked(STDOUT_FILENO);
	long long due = 0;

	watch.subject = subject;
	watch.keys = isatty(STDIN_FILENO) ? STDIN_FILENO : -1;
	screen_open(&watch.screen, own >= 0 ? own : STDOUT_FILENO);
	orders_open(&watch.mask);
	orders_hear_terminal();
	while (!watch.quit && orders_end == 0 && orders_interrupts == 0) {
		if (clock_wait_ms(due) == 0 || orders_resized) {
			subject_read(subject, watch.screen.rows);
			if (subject->over)
				break;
			due = clock_now() + FRAME;
		}
		orders_resized = 0;
		draw_frame();
		wait_until(due);
		if (orders_suspend)
			suspend();
		if (orders_continued)
			watch.ours = 0; /* somebody else may have set it meanwhile */
		orders_continued = 0;
	}
	give_back_terminal(NULL);
	if (subject->over)
		subject_say_end(subject);
	orders_die();
}
