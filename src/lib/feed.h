/*
 * Input, a line at a time, as it arrives: a file, a pipe that somebody still
 * writes, a terminal.
 *
 * feed_open() reads the file, or standard input where path is NULL; separator is
 * what ends a line ('\n' or '\0'). Returns 0, or -1 with errno. feed_close()
 * closes what it opened and frees the rest.
 * feed_line() gives the next whole line, ended by '\0' in place of the separator
 * and good until the next call; *length is without that. Returns 1; 0 when more
 * has to be read first; -1 at the end of the input. The last line may lack its
 * separator.
 * feed_fill() reads once, which blocks where nothing is there. Returns 0, or -1
 * with errno (EFBIG: a line of more than FEED_LONGEST bytes).
 * feed_drop() forgets what was read and not given: a line without an end, say.
 * feed_count() is the number of lines of a regular file from where it stands, or
 * -1 for anything else.
 */
#include <stddef.h>

enum { FEED_LONGEST = 16 * 1024 * 1024 };

struct feed {
	int fd;
	int own;          /* we opened it */
	char separator;
	char *buffer;
	size_t start, seen, end, room; /* seen: no separator before this */
	int ended;
};

int feed_open(struct feed *feed, const char *path, char separator);
void feed_close(struct feed *feed);
int feed_line(struct feed *feed, char **line, size_t *length);
int feed_fill(struct feed *feed);
void feed_drop(struct feed *feed);
long feed_count(const struct feed *feed);
