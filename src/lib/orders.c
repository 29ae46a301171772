#include <stdlib.h>

#include "complain.h"
#include "orders.h"
#include "status.h"

volatile sig_atomic_t orders_interrupts, orders_end, orders_suspend;

static void
on_interrupt(int sig)
{
	(void)sig;
	if (orders_interrupts < 3)
		orders_interrupts++;
}

static void
on_end(int sig)
{
	orders_end = sig;
}

static void
on_suspend(int sig)
{
	(void)sig;
	orders_suspend = 1;
}

static void
on_child(int sig)
{
	(void)sig; /* pselect returns */
}

static void
catch(int sig, void (*handler)(int), sigset_t *block)
{
	struct sigaction action = {0}, before;

	if (sigaction(sig, NULL, &before) != 0 || (before.sa_handler == SIG_IGN && sig != SIGCHLD))
		return; /* such as by nohup */
	action.sa_handler = handler;
	sigemptyset(&action.sa_mask);
	if (sigaction(sig, &action, NULL) != 0)
		fail(STATUS_TROUBLE, "signal %d:", sig);
	sigaddset(block, sig);
}

void
orders_open(sigset_t *before)
{
	sigset_t block;

	sigemptyset(&block);
	catch(SIGINT, on_interrupt, &block);
	catch(SIGTERM, on_end, &block);
	catch(SIGHUP, on_end, &block);
	catch(SIGQUIT, on_end, &block);
	catch(SIGTSTP, on_suspend, &block);
	catch(SIGCHLD, on_child, &block);
	signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &block, before) != 0)
		fail(STATUS_TROUBLE, "signals:");
	sigdelset(before, SIGCHLD);
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
