/*
 * What tokstat shows: the state of the pool, line by line, its fields separated
 * by tabs. Written into the asker's FIFO as fast as that takes it; nobody is
 * waited for, and an asker that has gone costs nothing. "no room" where there are
 * too many at a time.
 *
 *	pool TOKENS FREE OUT WAITING GRANTED RETURNED RECOVERED LONGEST MEAN
 *	slot SLOT STATE PID SECONDS LABEL	STATE: free, out
 *	wait PLACE PID COUNT PRIORITY SECONDS
 *	end
 *
 * report_write() begins one; report_event() goes on with it: 0 when the
 * descriptor is not one of its. report_close() drops all.
 */
struct clients;

void report_write(struct clients *c, const char *file);
int report_event(struct clients *c, int fd, short events);
void report_close(struct clients *c);
