/* One line of a log of jobs, whichever kind it is: see logged.h. */
#include <stddef.h>

struct entry {
	int is_header;         /* the line names the columns, and nothing else is set */
	long long seq;
	long long start, end;  /* microseconds, since 1970 */
	int exit, signal;
	int is_slot;           /* host is a slot of ours, and no machine with many jobs */
	const char *host, *command;
	size_t length;         /* of the command, which may hold any byte */
};

/* Reads a line, which it changes, and where host and command stay. NULL, or why it is none. */
const char *entry_read(struct entry *entry, char *text, size_t length);
