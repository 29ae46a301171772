/*
 * What tokstat shows: the state of the pool, line by line, the fields separated by tabs.
 *
 *	pool TOKENS FREE OUT WAITING GRANTED RETURNED RECOVERED LONGEST MEAN
 *	slot SLOT STATE PID SECONDS LABEL	STATE: free, out, offered to a build, resting
 *	wait PLACE PID COUNT PRIORITY SECONDS
 *	end
 *
 * It is written into the asker's FIFO as fast as that takes it; nobody is waited for, and an
 * asker that has gone costs nothing. "no room" where too many, or too much, wait to be read.
 */
struct clients;

/* Begins one, which is written when everybody was served: report_write(). */
void report_ask(struct clients *c, const char *file);
void report_write(struct clients *c);
/* Goes on with it: 1, or 0 when the descriptor is not one of its. */
int report_event(struct clients *c, int fd, short events);
/* Drops all. */
void report_close(struct clients *c);
