/*
 * A report for tokstat: the state of the pool, line by line, the fields separated by tabs.
 *
 *	pool TOKENS FREE OUT WAITING GRANTED RETURNED RECOVERED LONGEST MEAN
 *	holder SLOT PID SECONDS COUNT PRIORITY SHARE READY LABELS COMMAND
 *	slot SLOT STATE PID SECONDS HOLDER LABEL
 *	wait PLACE PID SECONDS COUNT PRIORITY COMMAND
 *	end
 *
 * A holder is a command that has tokens, of which SLOT is the first; SHARE and READY (offered to
 * it, and not taken) are those of a build, or "-". COMMAND is what the client said of itself; it is
 * empty after a dispenser was killed. STATE is free, out, offered to a build, or resting; HOLDER is
 * the first slot of who has it, or 0. A report of at most so many commands has no slots, and costs
 * no more if many wait.
 *
 * A report is written into the asker's FIFO as fast as that takes it; we wait for nobody, and an
 * asker that has gone costs nothing. "no room": too many reports, or bytes, wait to be read.
 */
struct clients;

/* Begins a report of that many commands, or of all there is (-1), written when all clients were
   served: report_write(). 1; 0: too many are under way, or another one into that file is. */
int report_ask(struct clients *c, const char *file, long rows);
/* Writes the reports that were begun, as far as their askers' FIFOs take them now. */
void report_write(struct clients *c);
/* Goes on with the report that has that descriptor: 1; 0: none has. */
int report_event(struct clients *c, int fd, short events);
/* Drops all. */
void report_close(struct clients *c);
