/*
 * Lending. A client that already runs under a token here would deadlock, so it borrows its
 * holder's. A loan is a holder like any other, of slots that its lender has, too (pool_lend); each
 * slot is home when both have done with it. A lender may itself have borrowed, to any depth.
 *
 * A request names the lender's lease, which its command knows (JOBCTL_HELD of tokget). A script
 * lends each of its tokens once at a time; further requests wait in line. A build, or a dispenser
 * that borrows, has a token for each of its jobs, so each job is lent one: the request says which
 * job it comes from. A build never lends more than it has out, whatever its jobs say; but a client
 * that is no job of it, such as a script, is lent tokens in its FIFO, too.
 *
 * A loan may outlive its lender. If the lender had itself borrowed, the loan is then one of the
 * lender's lender, which has not got its token back before.
 *
 * The symbolic link K.NAME.lender beside the lease of a loan has the text "LENDER JOB", for a
 * dispenser that takes over.
 */
struct holder;
struct holders;
struct waiter;

/* The most tokens that the waiter's lender could ever lend it; -1: the lender is not here. */
long lending_most(const struct holders *holders, const struct waiter *waiter);
/* Lends the waiter its count of tokens: the chain, and waiter->drawn says how many of them were
   drawn from a build's FIFO; 0: not now. */
long lending_take(struct holders *holders, struct waiter *waiter);
/* A borrower that outlives its job of a build takes the job's token over once it has its loan: 1,
   or 0. The build gets another token when there is one. */
int lending_part(const struct holders *holders, const struct waiter *waiter);
/* Writes the note for that chain of the client: 0, or -1 with errno. */
int lending_note(const struct holders *holders, long chain, const char *client, const char *lender,
    const char *job);
/* Removes that note. */
void lending_forget(const struct holders *holders, long chain, const char *client);
/* That loan, which still has its slots, is over. */
void lending_end(struct holders *holders, const struct holder *loan);
/* The client has ended: its own lender now lends the tokens that the client lent, for that job.
   Returns how many. own: that many of them need not go back into the FIFO of a build. */
long lending_inherit(struct holders *holders, const char *client, const char *lender,
    const char *job, long own);
