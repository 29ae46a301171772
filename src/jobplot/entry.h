/* One line of a log of jobs, whichever kind it is: see logged.h. */
#include <stddef.h>

struct job;

/* Reads a line, which it changes, and where host and command stay; start and end are since 1970.
   host is NULL where it only names the columns. NULL, or why it is no such line. */
const char *entry_read(struct job *job, char *text, size_t length);
