/* Orders of the user, by signals, while we wait for something else. */
#include <signal.h>

/* How many SIGINT came, at most 3; the signal that is to end us, or 0; whether SIGTSTP came, which
   the caller resets. */
extern volatile sig_atomic_t orders_interrupts, orders_end, orders_suspend;
/* How many SIGUSR1 came, less how many SIGUSR2; the caller resets it. */
extern volatile sig_atomic_t orders_more;
/* Whether the terminal's window has another size; whether we had been stopped; the caller resets
   both. */
extern volatile sig_atomic_t orders_resized, orders_continued;

/* Sets the handler of that signal, with SA_... flags; exits with a message if it cannot. */
void orders_catch(int sig, void (*handler)(int), int flags);
/* Catches and blocks signals that are orders, and SIGCHLD; *before is the mask for pselect(2).
   Ignores SIGXFSZ and SIGPIPE: 1, or 0 if SIGPIPE was ignored already. */
int orders_open(sigset_t *before);
/* Catches and blocks SIGUSR1 and SIGUSR2, too; after orders_open(). */
void orders_hear_more(void);
/* Catches and blocks SIGCONT and, where it exists, SIGWINCH; after orders_open(). */
void orders_hear_terminal(void);
/* Dies by the signal that came, if one did, so that our parent knows. */
void orders_die(void);
