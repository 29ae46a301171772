#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "feed.h"
#include "room.h"

enum {
	BLOCK = 65536,
	AGAIN = 1000 /* ms between two tries to read */
};

int
feed_open(struct feed *feed, const char *path, char separator)
{
	*feed = (struct feed){0};
	feed->separator = separator;
	feed->fd = STDIN_FILENO;
	if (path == NULL)
		return 0;
	if ((feed->fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return -1;
	feed->own = 1;
	return 0;
}

void
feed_close(struct feed *feed)
{
	if (feed->own)
		close(feed->fd);
	free(feed->buffer);
	feed->buffer = NULL;
}

int
feed_line(struct feed *feed, char **line, size_t *length)
{
	char *stop = NULL;
	size_t left = feed->end - feed->seen;

	if (left > 0)
		stop = memchr(feed->buffer + feed->seen, feed->separator, left);
	if (stop == NULL) {
		feed->seen = feed->end;
		if (!feed->ended)
			return 0;
		if (feed->start == feed->end)
			return -1;
		stop = feed->buffer + feed->end; /* feed_fill() leaves room for a byte */
	}
	*line = feed->buffer + feed->start;
	*length = (size_t)(stop - *line);
	*stop = '\0';
	feed->start = *length + feed->start + (stop < feed->buffer + feed->end);
	feed->seen = feed->start;
	return 1;
}

static int
make_room(struct feed *feed)
{
	char *bigger;

	if (feed->start > 0) {
		memmove(feed->buffer, feed->buffer + feed->start, feed->end - feed->start);
		feed->end -= feed->start;
		feed->seen -= feed->start;
		feed->start = 0;
	}
	if (feed->end > FEED_LONGEST) {
		errno = EFBIG;
		return -1;
	}
	if ((bigger = room_for(feed->buffer, &feed->room, feed->end + BLOCK + 1, 1)) == NULL)
		return -1;
	feed->buffer = bigger;
	return 0;
}

int
feed_fill(struct feed *feed)
{
	struct pollfd wait = {.fd = feed->fd, .events = POLLIN};
	ssize_t n;

	if (feed->ended)
		return 0;
	if (make_room(feed) != 0)
		return -1;
	n = read(feed->fd, feed->buffer + feed->end, BLOCK);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n < 0 && errno == EAGAIN) /* another user of the description set O_NONBLOCK */
		return poll(&wait, 1, AGAIN) < 0 && errno != EINTR ? -1 : 0;
	if (n < 0)
		return -1;
	feed->end += (size_t)n;
	feed->ended = n == 0;
	return 0;
}

void
feed_drop(struct feed *feed)
{
	feed->start = feed->seen = feed->end;
}

int
feed_ahead(const struct feed *feed)
{
	return !feed->ended && feed->end - feed->start < FEED_LONGEST / 2;
}

/* Lines in that many bytes; *last becomes the last byte. */
static long
count_in(const struct feed *feed, const char *text, size_t length, char *last)
{
	const char *p = text, *end = text + length;
	long lines = 0;

	for (; p < end && (p = memchr(p, feed->separator, (size_t)(end - p))) != NULL; p++)
		lines++;
	if (length > 0)
		*last = end[-1];
	return lines;
}

long
feed_count(const struct feed *feed)
{
	char block[BLOCK];
	struct stat st;
	off_t at = lseek(feed->fd, 0, SEEK_CUR);
	char last = feed->separator;
	long lines = feed->end > feed->start ? count_in(feed, feed->buffer + feed->start,
	    feed->end - feed->start, &last) : 0;
	ssize_t n = 0;

	if (!feed->ended && (at < 0 || fstat(feed->fd, &st) != 0 || !S_ISREG(st.st_mode)))
		return -1;
	for (; !feed->ended && (n = pread(feed->fd, block, sizeof block, at)) > 0; at += n)
		lines += count_in(feed, block, (size_t)n, &last);
	return n < 0 ? -1 : lines + (last != feed->separator);
}
