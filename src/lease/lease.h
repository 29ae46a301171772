/*
 * One lease: the FIFO whose write end a holder has open, and whose read end is
 * ours. The token is out for as long as any process has the write end.
 *
 * A slot's leases are named K, K_1, K_2 ... in the directory: a slot has more
 * than one only while jobs that returned their token early still run, so that
 * what such a job writes late cannot reach the lease of the next.
 *
 * lease_open() makes the FIFO where there is none and opens the read end,
 * non-blocking, closed on exec. A read end that was opened when there was no
 * writer shows no POLLHUP until a writer has come and gone.
 * Returns 0, or -1 with errno.
 * lease_close() closes it; the name stays. lease_remove() takes the name away.
 * lease_held(): 1 while any process has the write end, else 0. What it reads
 * to find out is lost.
 * lease_parse() is the inverse of lease_name(): 0, or -1 for any other name.
 */
enum { LEASE_NAME = 24 }; /* bytes for the longest name */

struct lease {
	int fd;              /* read end, -1 when closed */
	unsigned slot;       /* 1..N */
	unsigned generation; /* 0 for the first lease of the slot */
	int adopted;         /* was out when its dispenser took over */
	long long since;     /* when the token went out (clock.h) */
	int running;         /* its job has said that it begins; not yet found late */
	int out;             /* announced, and not come home; kept only by borrow.h */
	int rests;           /* free, but to be announced later; kept by jobs.h */
	int pending;         /* announced, and its job has not begun: turns.h */
	long long due;       /* when its slot's next job may begin (pace.h) */
};

void lease_name(const struct lease *lease, char name[LEASE_NAME]);
int lease_parse(struct lease *lease, const char *name);
int lease_open(struct lease *lease, int dir);
void lease_close(struct lease *lease);
void lease_remove(const struct lease *lease, int dir);
int lease_held(const struct lease *lease);
