/*
 * What tokstat shows: the state of the pool, line by line, the fields separated by tabs.
 *
 *	pool TOKENS FREE OUT WAITING GRANTED RETURNED RECOVERED LONGEST MEAN
 *	build SLOT PID SECONDS SHARE OUT READY PRIORITY	if asked for; SLOT 0: the shared one
 *	slot SLOT STATE PID SECONDS LABEL	STATE: free, out, offered to a build, resting
 *	wait PLACE PID COUNT PRIORITY SECONDS
 *	end
 *
 * Of a window, from row FROM on and at most COUNT of them, there are the first line, a second one
 *
 *	window FROM ROWS	FROM is less than asked for where that would be beyond the end
 *
 * and of all ROWS these: builds, then slots that are out, then all other slots, then those who
 * wait. It costs no more where many wait.
 *
 * It is written into the asker's FIFO as fast as that takes it; nobody is waited for, and an
 * asker that has gone costs nothing. "no room" where too many, or too much, wait to be read.
 */
struct clients;

/* Begins one, which is written when everybody was served: report_write(). count -1: all rows. 1; 0
   when too many are under way, or this is the second one that is to go into that file. */
int report_ask(struct clients *c, const char *file, long from, long count, int builds);
void report_write(struct clients *c);
/* Goes on with it: 1, or 0 when the descriptor is not one of its. */
int report_event(struct clients *c, int fd, short events);
/* Drops all. */
void report_close(struct clients *c);
