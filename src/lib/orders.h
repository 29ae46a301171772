/*
 * What the user orders by signals, while we wait for something else.
 *
 * orders_open() catches them, those that were not ignored, and blocks them and
 * SIGCHLD: they come in pselect(2) only, which is given *before, the mask as it
 * was. SIGPIPE is ignored.
 * orders_interrupts counts SIGINT, to three; orders_end is the signal that is to
 * end us, or 0; orders_suspend is set by SIGTSTP, and the caller's to reset.
 * orders_die() dies by what came, if anything did: our parent is told so.
 */
#include <signal.h>

extern volatile sig_atomic_t orders_interrupts, orders_end, orders_suspend;

void orders_open(sigset_t *before);
void orders_die(void);
