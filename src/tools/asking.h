/*
 * A client's side of a dispenser's directory: it makes the FIFO w/NAME there, asks by the inlet,
 * and reads the answer from that FIFO, whose write end it keeps as the lease. If a signal ends it,
 * the dispenser sees that nobody has the FIFO open, and removes it.
 */
#include <stddef.h>

/* A client's way into an inlet; or into a lease, which takes returns as well. */

/* The operand, or $FIFO where there is none; exits with a message when that is not set either. */
const char *inlet_default(const char *operand);
/* That path; or where it is a symbolic link to a FIFO, the path of this, beside which its directory
   is. */
const char *inlet_path(const char *path);
/* The write end, for the caller to close. -1 with errno ENOENT or ENXIO; exits for others. */
int inlet_find(const char *path);
/* Writes a request, waiting for room until that time (clock.h; -1: for ever). 0, or -1 with errno:
   ETIMEDOUT; EPIPE: it went away, and there is no SIGPIPE. */
int inlet_send(int inlet, const char *text, size_t length, long long until);
/* When a dispenser has answered that is asked now for what it answers at once. */
long long inlet_soon(void);
/* Exits with that status: it has not. */
void inlet_fail(const char *path, int status);
/* Writes a request there soon; exits with a message when it cannot. */
void inlet_write(const char *path, const char *text);
/* Waits for answers (or -1), or until nobody writes into one of count others (NULL: none), at most
   ms, maybe less; -1 with errno. Others are also named from time to time without news. */
enum { INLET_SAME, INLET_GONE /* the last reader */, INLET_OTHERS, INLET_MOST = 16 /* others */ };
int inlet_watch(int inlet, int answers, const int *others, size_t count, long long ms);

enum {
	TOKENS_TEXT = 16384,
	ASKING_HEAD = 96 /* bytes of a request before the rest, at most */
};

struct tokens {
	long count;
	char slots[TOKENS_TEXT], labels[TOKENS_TEXT]; /* separated by blanks, and by newlines */
};

struct asking {
	const char *fifo;
	char *file;     /* P.d/w/NAME */
	char *name;     /* within it */
	int inlet, answers, lease;
	char text[8192];
	size_t used;    /* bytes read and not yet taken */
	const int *others; /* set by the caller, or NULL: read ends whose last close ends a wait */
	size_t watching;
};

/* Opens inlet and FIFO. 0; -1 with errno ENOENT: it has ended, ENXIO: killed, or not there yet. */
int asking_open(struct asking *a, const char *fifo);
/* Writes "@WHAT NAME REST", or without REST, which with ASKING_HEAD is one
   write to a pipe: 0; or -1 when the dispenser went away, or, with errno
   ETIMEDOUT, there was no room until that time (-1: for ever). */
int asking_send(struct asking *a, const char *what, const char *rest, long long until);
/* A line of the answer: 1; 0 when that time came first (-1: none); -1 when the dispenser left; 2:
   look at the others, also without news from time to time. */
int asking_line(struct asking *a, char *line, size_t size, long long until);
/* That many lines "SLOT LABEL" of an answer: 0; 1 for anything else; -1 when the dispenser left. */
int asking_tokens(struct asking *a, struct tokens *tokens, long count, long long until);
void tokens_clear(struct tokens *tokens);
void tokens_add(struct tokens *tokens, long slot, const char *label, size_t length);
int tokens_have(const struct tokens *tokens, long slot);
/* Their labels, a line each, or "" if none has any. */
const char *tokens_labels(const struct tokens *tokens);
/* Gives up what get asked for: 0; or -1 when it is too late, and the answer is there, or comes. */
int asking_withdraw(struct asking *a);
/* The path of the lease as that of the first of these slots, for the caller to free. NULL when
   there is none: no dispenser gave it, or it has gone. */
char *asking_given(const struct asking *a, const char *slots);
/* Closes all but the lease and returns that: at 10 or above, non-blocking, open on exec. */
int asking_keep(struct asking *a);
/* Closes all and removes the name. */
void asking_close(struct asking *a);
/* Asks for what is answered at once, by a line: 1; or 0: there was no answer in time, and it may be
   done later. Exits with a message when nobody could be asked. */
int asking_once(const char *fifo, const char *what, const char *rest, char *line, size_t size);
