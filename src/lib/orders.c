#include <stdlib.h>

#include "complain.h"
#include "orders.h"
#include "status.h"

volatile sig_atomic_t orders_interrupts, orders_end, orders_suspend;
volatile sig_atomic_t orders_more, orders_resized, orders_continued;

static void
on_order(int sig)
{
	if (sig == SIGTSTP)
		orders_suspend = 1;
	else if (sig == SIGINT)
		orders_interrupts += orders_interrupts < 3;
	else if (sig != SIGCHLD) /* this one only ends pselect */
		orders_end = sig;
}

void
orders_catch(int sig, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigemptyset(&action.sa_mask);
	if (sigaction(sig, &action, NULL) != 0)
		fail(STATUS_TROUBLE, "signal %d:", sig);
}

static void
on_more(int sig)
{
	orders_more += sig == SIGUSR1 ? 1 : -1;
}

/* Catches and blocks those that are not ignored, such as by nohup. */
static void
hear(const int *sigs, size_t count, void (*handler)(int), sigset_t *before)
{
	struct sigaction was;
	sigset_t block;

	sigemptyset(&block);
	for (size_t i = 0; i < count; i++) {
		if (sigaction(sigs[i], NULL, &was) != 0 ||
		    (was.sa_handler == SIG_IGN && sigs[i] != SIGCHLD))
			continue;
		orders_catch(sigs[i], handler, 0);
		sigaddset(&block, sigs[i]);
	}
	if (sigprocmask(SIG_BLOCK, &block, before) != 0)
		fail(STATUS_TROUBLE, "signals:");
}

int
orders_open(sigset_t *before)
{
	static const int sigs[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCHLD};

	hear(sigs, sizeof sigs / sizeof *sigs, on_order, before);
	sigdelset(before, SIGCHLD);
	signal(SIGXFSZ, SIG_IGN); /* EFBIG is an error like others */
	return signal(SIGPIPE, SIG_IGN) != SIG_IGN;
}

void
orders_hear_more(void)
{
	static const int sigs[] = {SIGUSR1, SIGUSR2};

	hear(sigs, sizeof sigs / sizeof *sigs, on_more, NULL);
}

static void
on_terminal(int sig)
{
	if (sig == SIGCONT)
		orders_continued = 1;
	else
		orders_resized = 1;
}

void
orders_hear_terminal(void)
{
	static const int sigs[] = {
		SIGCONT,
#ifdef SIGWINCH /* POSIX has it since 2024 */
		SIGWINCH
#endif
	};

	hear(sigs, sizeof sigs / sizeof *sigs, on_terminal, NULL);
}

void
orders_die(void)
{
	int sig = orders_end != 0 ? orders_end : orders_interrupts > 0 ? SIGINT : 0;
	sigset_t one;

	if (sig == 0)
		return;
	signal(sig, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, sig);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	exit(128 + sig);
}
