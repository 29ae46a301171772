/*
 * A wish of tokget to a dispenser, and the grant. Where no dispenser is there yet, or not any
 * more, these wait for one, or start it; where the wish cannot be granted, they exit with
 * the status for that, after a message.
 */
#include "announce.h"
#include "borrow.h"

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
