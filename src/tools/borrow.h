/*
 * A token within a token. A command that runs with a token of a pool, and asks for one of the same
 * pool, would wait for itself. So it borrows that one, and the dispenser knows nothing of it.
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
#include "../lease/held.h"
#include "../lease/words.h"
#include "asking.h"

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
