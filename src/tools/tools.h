/* tokget, tokput, tokstop: they ask a dispenser. */
#ifndef TOOLS_H
#define TOOLS_H
#include <sys/stat.h>

#include <stddef.h>

#include "../book/book.h"
#include "../lease/lease.h"
#include "../lib/lib.h"
#include "../places/places.h"

/*
 * abroad.c: a pool of another machine, HOST:FIFO (lib/fifo.c). FIFO begins where one logs in there,
 * which ~/ says, too. For a command here with a token from there:
 *
 *	tokget ----- transport ----- sh --- tokget --far --- beater
 *	   |     \
 *	guard   command
 *
 * tokget writes a beat, and waits for its answer before the next one. It sends TERM to the command
 * BEAT_MISSED beats after it wrote the last answered one, and KILL before one more has passed. The
 * guard hears of each answer. It sends KILL then, too, for tokget may be stopped; and at once when
 * tokget is killed. When the guard is killed tokget ends the command.
 *
 * There two processes have the lease: tokget --far asks for the token, and the beater answers. They
 * give it back when the command has ended, or beat_held() after the last beat came; if one of them
 * is killed, the other one waits that long. So no clocks of two machines are compared, and the
 * command is dead before the token is home.
 *
 * HOST says, behind what a login prints: FAR_HELLO, by the sh; FAR_ANSWER to each beat; FAR_GRANT,
 * the count, slots, a newline, labels, a NUL; FAR_STATUS, that of tokget --far, a newline. The
 * command starts when a beat was answered that followed the grant.
 */
struct wish;
struct grant;

enum { FAR_HELLO = 036, FAR_ANSWER = 'a', FAR_GRANT = 'g', FAR_STATUS = 's' };
enum { NEAR_BEAT = 'b', NEAR_DONE = 'd' };

/* sh -c ABROAD_RUN PROGRAM HOST ARGUMENT... there: becomes the program, or says what to do. */
#define ABROAD_RUN \
	"command -v \"$0\" >/dev/null || { echo \"$0: $1: no $0 on PATH there: install it in " \
	"/usr/local/bin, or set PATH in ~/.zshenv or at the top of ~/.bashrc\" >&2; exit 127; }; " \
	"shift; exec \"$0\" \"$@\""

/* FIFO, and in *host, for free(3), the other part; the whole and NULL where it is a path here.
   Exits with a message without memory, or where one of them is empty. */
const char *abroad_split(const char *operand, char **host);
/* Where operand is HOST:FIFO: becomes the program of these words there, with FIFO in place of that
   operand, which is the last one where argv has none. Exits with the message held, if there is
   one, where this command holds a token there. */
void abroad_become(char **argv, const char *operand, const char *held);
/* Runs a command here with a token of that pool, and exits with its status, or that for no token;
   STATUS_LOST, after a message, if the token was lost and the command ended for that. */
void abroad_run(const struct wish *wish, const char *host, const char *fifo, long beat_ms,
    char **argv);
/* At HOST, for a token that is not asked for yet: starts the beater. */
void far_begin(long beat_ms);
/* Holds the token, to the end of this process. */
void far_hold(const struct grant *grant);

/* announce.c: telling a build, by its environment, where its jobserver is. */
enum announce_style {
	ANNOUNCE_FITTING, /* both, unless the command is a make that is not GNU make */
	ANNOUNCE_BOTH,
	ANNOUNCE_PATH,
	ANNOUNCE_DESCRIPTOR,
	ANNOUNCE_NOTHING
};

/* Of that path, as the dispenser gave it, with size tokens; for the command. becomes: we will be
   the command, which keeps the ends open itself. Exits with a message when it cannot. */
void announce_build(const char *build, long size, enum announce_style style, const char *command,
    int becomes);
/* Tells it to run that many jobs by itself: there is no jobserver. Exits when it cannot. */
void announce_jobs(long most);

/*
 * asking.c: a client's side of a dispenser's directory: it makes the FIFO w/NAME there, asks by the
 * inlet, and reads the answer from that FIFO, whose write end it keeps as the lease. If a signal
 * ends it, the dispenser sees that nobody has the FIFO open, and removes it.
 */

/* A client's way into an inlet; or into a lease, which takes returns as well. */

/* The operand, or $FIFO where there is none; exits with a message when that is not set either. */
const char *inlet_default(const char *operand);
/* That path; or where it is a symbolic link to a FIFO, the path of this, beside which its directory
   is. */
const char *inlet_path(const char *path);
/* The write end, for the caller to close. -1 with errno ENOENT or ENXIO; exits for others. */
int inlet_find(const char *path);
/* Writes a request, waiting for room until that time (clock.c; -1: for ever). 0, or -1 with errno:
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

/*
 * borrow.c: a token within a token. A command that runs with a token of a pool, and asks for one of
 * the same pool, would wait for itself. So it borrows that one, and the dispenser knows nothing of
 * it.
 *
 * A loan is a FIFO beside the lease, in P.d/w: whoever has it open for writing has the loan. It has
 * these names, where NAME is that of the lease:
 *
 *	NAME.N      N = 1, 2 ... for each loan of that lease
 *	NAME.B.S    for each slot S that it has of loan B, or of the lease itself: B = 0
 *	NAME.B.jJ   if its borrower is in job J of a build
 *
 * A borrower has the lease open, too, so the token is out as long as it lives; and all loans within
 * which it borrows, as a process there may have left this one behind. Loans are taken under a lock
 * of the file NAME.loan, which is held for that moment only, and whose size is the last N. Those
 * who wait have the read end of NAME.B.S open, and poll(2) tells them of the end.
 *
 * In a build each job has the token that the build took for it. Nobody knows which one that is: so
 * a job borrows any that the build has out, and by NAME.B.jJ one at a time.
 */

enum { BORROW_NAME = 2 * NAMES_FILE };

struct borrow {
	struct held held;
	int may;                 /* this process runs under that lease of the pool */
	int job;                 /* it is in a job of a build that has the lease */
	struct tokens own;       /* that it may borrow */
	struct tokens others;    /* that the build has out, for a job ... */
	int asked;               /* ... which has asked for them */
	int offers, into;        /* the ends of the build's FIFO, or -1 */

	/* What was borrowed: */
	long number;             /* N, or 0 */
	int open[HELD_BASE / 2], count; /* descriptors of loans and lease */
	struct tokens taken;
	long drawn, loose;       /* of them, those drawn from that FIFO: by us, or before */

	int watch[INLET_MOST];   /* else, read ends of loans that others have */
	size_t watching;
};

/* Looks whether this process runs under a lease of the pool at fifo; b is all 0. */
void borrow_open(struct borrow *b, const char *fifo);
/* The most tokens that this process could ever borrow at once. */
long borrow_most(const struct borrow *b);
/* Borrows as many tokens as it can, from least to most: 0; -1: not now. Descriptors are closed on
   exec. Exits with a message if a file cannot be made. */
int borrow_take(struct borrow *b, long least, long most);
/* Lets the command inherit what was borrowed. */
void borrow_hand_on(const struct borrow *b);
/* Gives back what was borrowed, unless others have inherited it. */
void borrow_return(struct borrow *b);

/*
 * victims.c: processes that tokstop ends, with all that descends from them: TERM, and KILL after
 * the grace. They are jobs, by the pids of their shells; or whoever has a lease of a dispenser.
 */

/* The caller sets the first three. */
struct victims {
	long long grace;         /* ms */
	int dir;                 /* of the dispenser whose leases they have, or -1 */
	pid_t script;            /* from which jobs descend, or 0 */
	struct family all;       /* as of the last look */
	struct family list;      /* of them, those who are to end */
	struct stat *leases;     /* of the jobs */
	size_t leased;
	struct family before;    /* all there were at the first look */
	int (*also)(void *, const struct process *); /* are victims, too; or NULL */
	struct stat inlet;       /* of the dispenser */
	int *borrowers;          /* directories of dispensers with tokens of that one */
	size_t borrow, room;
};

/* Ends jobs. Each is "PID" or "PID/LEASE", a child of our own parent; or, with a script or a
   dispenser, descends from that or has a lease of it. Where the shell is gone, whoever has that
   lease is ended in its place. SIGINT, SIGTERM and SIGHUP end the grace. */
void victims_end_jobs(struct victims *victims, char **pids);
/* Finds who holds tokens of the dispenser with that inlet. 1 if we are one of them. */
int victims_hold(struct victims *victims, int inlet);
/* Ends those that were found. */
void victims_end(struct victims *victims);

/*
 * wish.c: a wish of tokget to a dispenser, and the grant. Where no dispenser is there yet, or not
 * any more, these wait for one, or start it; where the wish cannot be granted, they exit with the
 * status for that, after a message.
 */

enum { GRANT_LINE = 8192 };

struct wish {
	const char *fifo;
	const char *count;     /* -k, as it was given ... */
	char asks[24];         /* ... and as a dispenser is asked */
	long own;              /* the most that it gets by -k; 0 for all */
	const char *priority;  /* -p */
	const char *start;     /* -N: tokens of a dispenser to start, or NULL ... */
	long size;             /* ... how many that are */
	enum announce_style style; /* -j */
	long most;             /* -J, or 0 */
	int now;               /* -n */
	long long until;       /* -t: on the clock, or -1 */
	int no_token;          /* -E: the status for that */
	char **command;        /* for whom to tell, or NULL */
	int without;           /* the command may run without a token */
	int bflag, lflag, oflag, xflag, far;
};

struct grant {
	struct tokens tokens;
	char *path;            /* of the lease */
	struct borrow loan;    /* which has lease and tokens, if it has any loans */
	int tells;             /* the dispenser wants to hear of the start */
	long size;             /* of the pool, or 0: an older dispenser does not say */
	char build[GRANT_LINE];      /* where it is offered to a build; "" for nowhere */
};

/* The lease of the token; -1 for a loan. A command that runs with tokens of the pool borrows them,
   or gets its own, whichever comes first. */
int wish_take(const struct wish *wish, struct grant *grant);
#endif
