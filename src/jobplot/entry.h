/* One line of a log of jobs: see logged.h. */
#include <stddef.h>

struct job;
struct logline;

/* Reads a line, which it changes, and where host and command stay; start and end are since 1970.
   host is NULL where it only names the columns. NULL, or why it is no such line. */
const char *entry_read(struct job *job, struct logline *line, char *text, size_t length);
