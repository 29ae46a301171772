#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

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
	if (fifo_of_pool(path))
		fail(STATUS_TROUBLE, "%s: a pool, and no list or log: tokstat shows it", path);
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
	outbox_drop(&feed->in);
}

int
feed_line(struct feed *feed, char **line, size_t *length)
{
	size_t waits = outbox_waits(&feed->in);
	char *text = (char *)outbox_bytes(&feed->in), *stop = NULL;

	if (waits > feed->seen)
		stop = memchr(text + feed->seen, feed->separator, waits - feed->seen);
	feed->seen = stop == NULL ? waits : 0;
	if (stop == NULL && !feed->ended)
		return 0;
	if (stop == NULL && waits == 0)
		return -1;
	*line = text;
	*length = stop == NULL ? waits : (size_t)(stop - text);
	text[*length] = '\0'; /* at the end feed_fill() has made room */
	outbox_take(&feed->in, *length + (stop != NULL));
	return 1;
}

int
feed_fill(struct feed *feed)
{
	ssize_t n;

	if (feed->ended)
		return 0;
	if (outbox_waits(&feed->in) > FEED_LONGEST) {
		errno = EFBIG;
		return -1;
	}
	n = outbox_read(&feed->in, feed->fd, BLOCK);
	if (n < 0 && errno == EAGAIN) { /* another user of the description set O_NONBLOCK */
		descriptors_poll(feed->fd, POLLIN, AGAIN);
		return 0;
	}
	feed->ended = n == 0;
	return n < 0 ? -1 : 0;
}

void
feed_drop(struct feed *feed)
{
	outbox_take(&feed->in, outbox_waits(&feed->in));
	feed->seen = 0;
}

int
feed_ahead(const struct feed *feed)
{
	return !feed->ended && outbox_waits(&feed->in) < FEED_LONGEST / 2;
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
	long lines = count_in(feed, outbox_bytes(&feed->in), outbox_waits(&feed->in), &last);
	ssize_t n = 0;

	if (!feed->ended && (at < 0 || fstat(feed->fd, &st) != 0 || !S_ISREG(st.st_mode)))
		return -1;
	for (; !feed->ended && (n = pread(feed->fd, block, sizeof block, at)) > 0; at += n)
		lines += count_in(feed, block, (size_t)n, &last);
	return n < 0 ? -1 : lines + (last != feed->separator);
}
