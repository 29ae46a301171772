/* Input, a line at a time, as it arrives: from a file, a terminal, a pipe that is still written. */
#include "outbox.h"

enum { FEED_LONGEST = 16 * 1024 * 1024 }; /* bytes of a line */

struct feed {
	int fd;
	int own;          /* we opened it */
	char separator;   /* ends each line */
	struct outbox in;
	size_t seen;      /* no separator in so many bytes of it */
	int ended;
};

/* Reads that file, or standard input if path is NULL. 0, or -1 with errno. */
int feed_open(struct feed *feed, const char *path, char separator);
/* Closes the file that feed_open() opened, and frees what was read. */
void feed_close(struct feed *feed);
/* 1 and the next line, '\0' for its separator, good until the next call; 0: fill first; -1: end. */
int feed_line(struct feed *feed, char **line, size_t *length);
/* Reads once, and blocks until there is input. 0, or -1 with errno (EFBIG: too long a line). */
int feed_fill(struct feed *feed);
/* Drops the input that was read and not given, such as an unfinished line. */
void feed_drop(struct feed *feed);
/* 1 while it is worth reading ahead: the input has not ended, and little of it waits. */
int feed_ahead(const struct feed *feed);
/* How many lines are still to come, if all are here or in a regular file; -1: not known. */
long feed_count(const struct feed *feed);
