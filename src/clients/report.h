/*
 * A report for tokstat: the state of the pool, line by line, the fields separated by tabs.
 *
 *	pool TOKENS FREE OUT WAITING GRANTED RETURNED RECOVERED LONGEST MEAN
 *	build SLOT PID SECONDS SHARE OUT READY PRIORITY	if asked for; SLOT 0: the shared one
 *	slot SLOT STATE PID SECONDS LABEL	STATE: free, out, offered to a build, resting
 *	wait PLACE PID COUNT PRIORITY SECONDS
 *	end
 *
 * For a window, of at most COUNT rows from row FROM on, there are the first line, a second one
 *
 *	window FROM ROWS	FROM is less than asked for if that is beyond the end
 *
 * and, of all ROWS, those in the window: builds, then slots that are out, then all other slots,
 * then waiters. It costs no more if many wait.
 *
 * A report is written into the asker's FIFO as fast as that takes it; we wait for nobody, and an
 * asker that has gone costs nothing. "no room": too many reports, or bytes, wait to be read.
 */
struct clients;

/* Begins a report, written when all clients were served: report_write(). count -1: all rows. 1; 0:
   too many are under way, or another one into that file is. */
int report_ask(struct clients *c, const char *file, long from, long count, int builds);
/* Writes the reports that were begun, as far as their askers' FIFOs take them now. */
void report_write(struct clients *c);
/* Goes on with the report that has that descriptor: 1; 0: none has. */
int report_event(struct clients *c, int fd, short events);
/* Drops all. */
void report_close(struct clients *c);
