/*
 * A line of the log of jobs. Its columns, with tabs between them, are those of GNU parallel's
 * --joblog, and the first line has their names: LOGLINE_HEADER. Ours have
 *
 *	Seq         the number of the job
 *	Host        the label of its slot, or else the slot's number; "-" without a slot
 *	Starttime   in seconds since 1970, such as 1700000000.123
 *	JobRuntime  in seconds; GNU parallel pads it with blanks on the left
 *	Send        0
 *	Receive     bytes of output, where that is collected
 *	Exitval     its exit status; GNU parallel has -1 for a job that was out of time
 *	Signal      that killed it, or 0
 *	Command     all up to the end; in a log of GNU parallel a NUL stands for a newline
 */
#include <stddef.h>

#define LOGLINE_HEADER \
	"Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand"

struct end;

enum logline_kind {
	LOGLINE_JOB,   /* all numbers are within their limits */
	LOGLINE_NAMES, /* the header, perhaps once more: somebody has joined two logs */
	LOGLINE_BAD    /* why is set */
};

/* A line that was read. Zero it before the first line of a file. */
struct logline {
	size_t number;        /* of the line */
	int windows;          /* the last header ended in CR LF, and so does each line */
	char why[160];        /* such as "Starttime 'nan' is no number from 0 to 253402300799" */
	long seq;
	char *host, *command; /* in the text that was read */
	size_t length;        /* of the command, which may contain a NUL */
	long long start, time; /* microseconds, since 1970 */
	long long sent, received;
	int status, signal, succeeded;
	int padded;           /* GNU parallel's: Host is a machine, with many jobs at once */
};

/* Reads the next line, without its newline; changes it. */
enum logline_kind logline_read(struct logline *line, char *text, size_t length);
/* The text of a line and its newline, for free(3). */
char *logline_text(const struct end *end, const char *command);
