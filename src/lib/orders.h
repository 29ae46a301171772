/* What the user orders by signals, while we wait for something else. */
#include <signal.h>

/* How many SIGINT there were, to three; the signal that is to end us, or 0; SIGTSTP came, and
   the caller resets it. */
extern volatile sig_atomic_t orders_interrupts, orders_end, orders_suspend;
/* How many SIGUSR1 came, less how many SIGUSR2; the caller resets it. */
extern volatile sig_atomic_t orders_more;
/* The terminal's window has another size; we had been stopped; the caller resets them. */
extern volatile sig_atomic_t orders_resized, orders_continued;

/* Has the handler called for that signal, with SA_... flags; exits with a message if it cannot. */
void orders_catch(int sig, void (*handler)(int), int flags);
/* Catches and blocks them and SIGCHLD; *before is the mask for pselect(2). Ignores SIGXFSZ and
   SIGPIPE: 1 when the latter had been left to kill us. */
int orders_open(sigset_t *before);
/* Catches and blocks SIGUSR1 and SIGUSR2, too; after orders_open(). */
void orders_hear_more(void);
/* Catches and blocks SIGCONT and, where it exists, SIGWINCH; after orders_open(). */
void orders_hear_terminal(void);
/* Dies by what came, if anything did, so that our parent knows. */
void orders_die(void);
