/* What the user orders by signals, while we wait for something else. */
#include <signal.h>

/* How many SIGINT there were, to three; the signal that is to end us, or 0; SIGTSTP came, and the caller
   resets it. */
extern volatile sig_atomic_t orders_interrupts, orders_end, orders_suspend;

/* Catches these signals, unless they were ignored, and blocks them and SIGCHLD: they come in pselect(2)
   only, which is given *before, the mask as it was. Ignores SIGPIPE. */
void orders_open(sigset_t *before);
/* Dies by what came, if anything did, so that our parent knows. */
void orders_die(void);
