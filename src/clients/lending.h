/*
 * Lending. Who asks for tokens and already runs with some of this pool would wait for itself. So it
 * is lent those: a loan is a holder like any other, of slots that its lender has, too (pool_lend),
 * and each is home when both have done with it. Its lender may itself have borrowed, any depth.
 *
 * A request names the lender's lease, which its command knows (JOBCTL_HELD of tokget). A script has
 * each of its tokens lent once at a time; who asks for more meanwhile waits in line. A build, and
 * who lends on, has a token for each of its jobs, so each job is lent one: the request says which
 * job it comes from. A build never lends more than it has out, whatever its jobs say; but what is
 * no job of it, such as a script, is lent what it has in its FIFO, too.
 *
 * A loan may outlive who lent it, and that one may itself have borrowed: then it is a loan of the
 * one whom that borrowed from, who has not got its token back before.
 *
 * The symbolic link K.NAME.lender beside the lease of a loan has the text "LENDER JOB", for a
 * dispenser that takes over.
 */
struct holder;
struct holders;
struct waiter;

/* How many tokens at most the waiter's lender could ever lend it; -1: the lender is not here. */
long lending_most(const struct holders *holders, const struct waiter *waiter);
/* The chain of what the waiter is lent now, and how many of them were drawn for it; 0: nothing
   now. */
long lending_take(struct holders *holders, struct waiter *waiter);
/* What outlives a job of a build takes that job's token over, once it has its loan: 1, or 0. The
   build gets another one, when there is one. */
int lending_part(const struct holders *holders, const struct waiter *waiter);
/* The note of that chain of the client: 0, or -1 with errno. */
int lending_note(const struct holders *holders, long chain, const char *client, const char *lender,
    const char *job);
/* Removes it. */
void lending_forget(const struct holders *holders, long chain, const char *client);
/* That loan, which has still its slots, is over. */
void lending_end(struct holders *holders, const struct holder *loan);
/* The client has ended, and has lent tokens: its own lender lends these now, for that job. Returns
   how many. own: so many of them need not go back into the FIFO of a build. */
long lending_inherit(struct holders *holders, const char *client, const char *lender,
    const char *job, long own);
