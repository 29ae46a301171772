/*
 * A lease: the FIFO of a slot, whose read end the dispenser has. Its token is out as long as any
 * process has the write end. A read end that was opened when there was no writer shows no POLLHUP
 * until a writer has come and gone.
 *
 * The leases of slot K are named K, K_1, K_2 ...: there is more than one only while a job runs that
 * returned its token early, so that what it writes late cannot reach the lease of the next job.
 */
enum { LEASE_NAME = 24 }; /* bytes for the longest name */

/* The name of that lease of the slot; generation 0 is the first. */
void lease_name(char name[LEASE_NAME], long slot, long generation);
/* The inverse: 0, or -1 for any other name. */
int lease_parse(const char *name, long *slot, long *generation);
/* Makes the FIFO if need be. Returns the read end, which the caller closes, or -1 with errno. */
int lease_open(int dir, const char *name);
/* 1 if a lease that cannot be opened, by that error, may still be held. */
int lease_unknown(int error);
/* 1 while any process has the write end. Bytes that it reads to find out are lost. */
int lease_held(int fd);

/* Bytes in a FIFO that does not block, each a token, whatever its value. */

/* Writes that many, or as many as there is room for; returns how many. */
long bytes_put(int fd, long count);
/* Reads that many, or as many as are there; returns how many. */
long bytes_draw(int fd, long count);
/* How many are there; if the system cannot count, 1 for any. */
long bytes_unread(int fd);
/* Counts them on any system, if need be by drawing them and putting them back by the other end. */
long bytes_counted(int fd, int other);
