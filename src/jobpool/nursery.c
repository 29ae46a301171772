#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/number.h"
#include "nursery.h"

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif

enum { PATH_ROOM = 4096, LINE_ROOM = 64 };

static int
set_path(char *path, const struct nursery *nursery, long serial, const char *what)
{
	int n;

	if (serial > 0)
		n = snprintf(path, PATH_ROOM, "%s/%ld.%s", nursery->directory, serial, what);
	else
		n = snprintf(path, PATH_ROOM, "%s/%s", nursery->directory, what);
	if (n < 0 || n >= PATH_ROOM) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return 0;
}

/* A new FIFO: its read end first, which does not wait for a writer, and then its write
   end where that is wanted, for there is a reader now. */
static int
make_fifo(const char *path, int *reader, int *writer)
{
	int saved;

	if (mkfifo(path, 0600) != 0)
		return -1;
	*reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (*reader >= 0 && writer == NULL)
		return 0;
	if (*reader >= 0 && (*writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) >= 0)
		return 0;
	saved = errno;
	if (*reader >= 0)
		close(*reader);
	unlink(path);
	errno = saved;
	return -1;
}

int
nursery_open(struct nursery *nursery, const char *directory)
{
	struct nursery empty = {0};
	char path[PATH_ROOM];

	*nursery = empty;
	nursery->directory = directory;
	nursery->news.separator = '\n';
	nursery->news.own = 1;
	if (fcntl(NURSERY_NEWS, F_SETFD, FD_CLOEXEC) != 0 || set_path(path, nursery, 0, "workers") != 0)
		return -1;
	return make_fifo(path, &nursery->news.fd, &nursery->keep);
}

static int
tell(struct nursery *nursery, const char *word, long serial, long number)
{
	char line[LINE_ROOM];

	snprintf(line, sizeof line, "%s %ld %ld\n", word, serial, number);
	return outbox_add(&nursery->orders, line, strlen(line));
}

int
nursery_start(struct nursery *nursery, long number, int *in, int *hold, int *out)
{
	char in_path[PATH_ROOM], out_path[PATH_ROOM];
	long serial = nursery->serial + 1;
	int error;

	if (nursery->gone)
		return EPIPE;
	if (set_path(in_path, nursery, serial, "in") != 0 || set_path(out_path, nursery, serial, "out") != 0 ||
	    make_fifo(in_path, hold, in) != 0)
		return errno;
	if (make_fifo(out_path, out, NULL) == 0) {
		if (tell(nursery, "start", serial, number) == 0) {
			nursery->serial = serial;
			return 0;
		}
		close(*out);
		unlink(out_path);
		errno = ENOMEM;
	}
	error = errno;
	close(*in);
	close(*hold);
	unlink(in_path);
	return error;
}

void
nursery_opened(struct nursery *nursery, long serial, int hold)
{
	char path[PATH_ROOM];

	if (set_path(path, nursery, serial, "in") == 0)
		unlink(path);
	if (set_path(path, nursery, serial, "out") == 0)
		unlink(path);
	close(hold);
}

int
nursery_kill(struct nursery *nursery, long serial)
{
	return nursery->gone ? 0 : tell(nursery, "kill", serial, 0);
}

int
nursery_write(struct nursery *nursery)
{
	if (nursery->gone || outbox_write(&nursery->orders, NURSERY_NEWS, PIPE_BUF) == 0)
		return 0;
	nursery->gone = 1;
	outbox_drop(&nursery->orders);
	return -1;
}

/* "open K" or "ended K STATUS": which it is, or 0. */
static int
parse(char *line, long *serial, int *status)
{
	char *number = strchr(line, ' '), *last = number == NULL ? NULL : strchr(number + 1, ' ');
	long value = 0;

	if (number == NULL)
		return 0;
	*number++ = '\0';
	if (last != NULL)
		*last++ = '\0';
	if (number_scan(number, 1, LONG_MAX, serial) != 0 || (last != NULL && number_scan(last, 0, INT_MAX, &value) != 0))
		return 0;
	*status = (int)value;
	if (strcmp(line, "open") == 0)
		return last == NULL ? NURSERY_OPEN : 0;
	return strcmp(line, "ended") == 0 && last != NULL ? NURSERY_ENDED : 0;
}

int
nursery_next(struct nursery *nursery, long *serial, int *status)
{
	size_t length;
	char *line;
	int what;

	while (feed_line(&nursery->news, &line, &length) == 1)
		if ((what = parse(line, serial, status)) != 0)
			return what;
	return 0;
}

void
nursery_close(struct nursery *nursery)
{
	char path[PATH_ROOM];

	if (set_path(path, nursery, 0, "workers") == 0)
		unlink(path);
	close(nursery->keep);
	feed_close(&nursery->news);
	outbox_drop(&nursery->orders);
}
