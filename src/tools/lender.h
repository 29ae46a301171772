/*
 * A token of a dispenser at another machine, and its keeper there: a session with a sh, whose job
 * takes the token and holds it (places/session.h). The command here, and its guard, are in
 * loan.c. Each watches the other.
 */
struct wish;

/* The guard is told when the last beat that was answered was written (clock.h), or this. */
enum { LENDER_LOST = 0 };

struct lender {
	const char *host, *fifo;
	long beat_ms;
	int lease;        /* the user of the token has the other end open; a byte gives it back */
	int guard;        /* the guard of the command has the other end open: its pid, and that of
	                     the command, two longs */
	int ticks;        /* to the guard: a long long for each answer of the place */
	int news;         /* for our caller: "granted SLOT...", labels, each on a line, and
	                     a NUL; or "status N", "never WHY"; and "lost WHY" */
};

/* How long after an answer the command may run; and how many ms until KILL after TERM. */
long long lender_limit(long beat_ms);
long long lender_grace(long beat_ms);
/* Takes the token that is wished for, and keeps it until nobody uses it, or it is lost; ends what
   uses it where its guard was killed. To the end of this process. */
void lender_run(const struct lender *lender, const struct wish *wish);
