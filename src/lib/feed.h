/* Input, a line at a time, as it arrives: from a file, a pipe that somebody still writes, a
   terminal. */
#include <stddef.h>

enum { FEED_LONGEST = 16 * 1024 * 1024 }; /* bytes of a line */

struct feed {
	int fd;
	int own;          /* we opened it */
	char separator;   /* what ends a line */
	char *buffer;
	size_t start, seen, end, room; /* seen: no separator before this */
	int ended;
};

/* Reads that file, or standard input where path is NULL. 0, or -1 with errno. */
int feed_open(struct feed *feed, const char *path, char separator);
/* Closes what feed_open opened, and frees the rest. */
void feed_close(struct feed *feed);
/* The next line, '\0' for its separator, until the next call: 1; 0: read first; -1 at the end. */
int feed_line(struct feed *feed, char **line, size_t *length);
/* Reads once, which blocks where nothing is there. 0, or -1 with errno (EFBIG: too long a line). */
int feed_fill(struct feed *feed);
/* Forgets what was read and not given, such as a line without an end. */
void feed_drop(struct feed *feed);
/* 1 while more may be read before all that was is given: it has not ended, and little waits. */
int feed_ahead(const struct feed *feed);
/* How many lines are still to be given, where all are here or in a regular file; -1: not known. */
long feed_count(const struct feed *feed);
