#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "attended.h"

#define NAME "calls"
#define NEXT "calls.next"

enum { MOST = 65536 }; /* bytes */

/* Makes an empty file of that name. The shell appends to it; zsh with noclobber appends only to a
   file that exists. */
static int
make_file(const struct calls *calls)
{
	int fd = openat(calls->dir, NEXT, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
	    0600);

	if ((fd = descriptors_lift(fd, 3)) >= 0 &&
	    renameat(calls->dir, NEXT, calls->dir, NAME) != 0)
		descriptors_close(&fd);
	return fd;
}

static void
begin_file(struct calls *calls, int fd)
{
	calls->feed = (struct feed){.fd = fd, .own = 1, .separator = '\n'};
	calls->read = 0;
	calls->next = -1;
}

int
calls_open(struct calls *calls, int dir)
{
	struct rlimit limit;

	calls->dir = dir;
	calls->astray = 0;
	calls->most = MOST; /* or long before the shell dies of its limit */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur / 4 < MOST)
		calls->most = (size_t)limit.rlim_cur / 4;
	begin_file(calls, make_file(calls));
	return calls->feed.fd < 0 ? -1 : 0;
}

/* A line without its newline is still being written. */
static int
read_file(struct calls *calls, void (*take)(void *, char *), void *context)
{
	size_t length, before;
	char *line;
	int at_end;

	do { /* on some file systems a signal interrupts a read: that is not the end */
		before = outbox_waits(&calls->feed.in);
		if (feed_fill(&calls->feed) != 0)
			return -1;
		calls->read += outbox_waits(&calls->feed.in) - before;
		at_end = calls->feed.ended;
		calls->feed.ended = 0;
		while (feed_line(&calls->feed, &line, &length) > 0)
			take(context, line);
	} while (!at_end);
	return 0;
}

/* One shell at a time writes, and opens the file by its name for each line. So once the next file
   is not empty, the one before is complete. */
int
calls_read(struct calls *calls, void (*take)(void *, char *), void *context)
{
	struct stat st;
	int next = calls->next;
	int over = next >= 0 && fstat(next, &st) == 0 && st.st_size > 0;

	if (read_file(calls, take, context) != 0)
		return -1;
	if (over) {
		feed_close(&calls->feed);
		begin_file(calls, next);
		if (read_file(calls, take, context) != 0)
			return -1;
	}
	if (calls->astray && !calls_stand(calls) && (next = descriptors_lift(openat(calls->dir,
	    NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), 3)) >= 0) {
		descriptors_close(&calls->next);
		feed_close(&calls->feed);
		begin_file(calls, next);
		return read_file(calls, take, context);
	}
	if (calls->next < 0 && calls->read > calls->most)
		calls->next = make_file(calls);
	return 0;
}

int
calls_stand(const struct calls *calls)
{
	return descriptors_named(calls->feed.fd, calls->dir, NAME) != 0 ||
	    (calls->next >= 0 && descriptors_named(calls->next, calls->dir, NAME) != 0);
}

void
calls_close(struct calls *calls)
{
	if (calls->feed.fd >= 0)
		feed_close(&calls->feed);
	descriptors_close(&calls->next);
	unlinkat(calls->dir, NAME, 0);
}
