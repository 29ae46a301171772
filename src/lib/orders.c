#include <stdlib.h>

#include "lib.h"

volatile sig_atomic_t orders_interrupts, orders_end, orders_suspend;
volatile sig_atomic_t orders_more, orders_resized, orders_continued;

static void
on_order(int sig)
{
	switch (sig) {
	case SIGCHLD: break; /* it only ends pselect */
	case SIGCONT: orders_continued = 1; break;
	case SIGINT: orders_interrupts += orders_interrupts < 3; break;
	case SIGTSTP: orders_suspend = 1; break;
	case SIGUSR1: orders_more++; break;
	case SIGUSR2: orders_more--; break;
#ifdef SIGWINCH /* POSIX has it since 2024 */
	case SIGWINCH: orders_resized = 1; break;
#endif
	default: orders_end = sig;
	}
}

void
orders_catch(int sig, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};

	sigemptyset(&action.sa_mask);
	if (sigaction(sig, &action, NULL) != 0)
		fail(STATUS_TROUBLE, "signal %d:", sig);
}

/* Catches and blocks those up to a 0 that are not ignored, such as by nohup. */
static void
hear_orders(const int *sig, sigset_t *before)
{
	struct sigaction was;
	sigset_t block;

	for (sigemptyset(&block); *sig != 0; sig++) {
		if (sigaction(*sig, NULL, &was) != 0 ||
		    (was.sa_handler == SIG_IGN && *sig != SIGCHLD))
			continue;
		orders_catch(*sig, on_order);
		sigaddset(&block, *sig);
	}
	if (sigprocmask(SIG_BLOCK, &block, before) != 0)
		fail(STATUS_TROUBLE, "signals:");
}

int
orders_open(sigset_t *before)
{
	static const int sigs[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCHLD, 0};

	hear_orders(sigs, before);
	sigdelset(before, SIGCHLD);
	signal(SIGXFSZ, SIG_IGN); /* EFBIG is an error like others */
	return signal(SIGPIPE, SIG_IGN) != SIG_IGN;
}

void
orders_hear_more(void)
{
	hear_orders((const int[]){SIGUSR1, SIGUSR2, 0}, NULL);
}

void
orders_hear_terminal(void)
{
	static const int sigs[] = {
		SIGCONT,
#ifdef SIGWINCH
		SIGWINCH,
#endif
		0
	};

	hear_orders(sigs, NULL);
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
