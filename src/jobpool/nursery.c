#include <sys/select.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/descriptors.h"
#include "../lib/fifo.h"
#include "../lib/number.h"
#include "nursery.h"

enum { PATH_ROOM = 4096 };

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

int
nursery_open(struct nursery *nursery, const char *directory)
{
	char path[PATH_ROOM];

	*nursery = (struct nursery){0};
	nursery->directory = directory;
	nursery->news.separator = '\n';
	nursery->news.own = 1;
	if (fcntl(NURSERY_NEWS, F_SETFD, FD_CLOEXEC) != 0 ||
	    set_path(path, nursery, 0, "workers") != 0)
		return -1;
	nursery->news.fd = nursery->keep = -1;
	return mkfifo(path, 0600) != 0 ? -1
	    : fifo_open_both(AT_FDCWD, path, &nursery->news.fd, &nursery->keep);
}

static int
make_fifos(const char *in_path, const char *out_path, int *in, int *hold, int *out)
{
	*in = *hold = *out = -1;
	if (mkfifo(in_path, 0600) != 0 || fifo_open_both(AT_FDCWD, in_path, hold, in) != 0 ||
	    mkfifo(out_path, 0600) != 0)
		return -1;
	*out = fifo_open(AT_FDCWD, out_path, O_RDONLY | O_NOFOLLOW);
	if (*in < FD_SETSIZE && *out < FD_SETSIZE)
		return *out < 0 ? -1 : 0;
	errno = EMFILE; /* an fd_set has no room for them */
	return -1;
}

int
nursery_start(struct nursery *nursery, long number, int *in, int *hold, int *out)
{
	char in_path[PATH_ROOM], out_path[PATH_ROOM];
	long serial = nursery->serial + 1;
	int error;

	if (nursery->gone)
		return EPIPE;
	if (set_path(in_path, nursery, serial, "in") != 0 ||
	    set_path(out_path, nursery, serial, "out") != 0)
		return errno;
	if (make_fifos(in_path, out_path, in, hold, out) == 0 &&
	    outbox_say(&nursery->orders, "start %ld %ld\n", serial, number) == 0) {
		nursery->serial = serial;
		return 0;
	}
	error = errno;
	descriptors_close(in);
	descriptors_close(hold);
	descriptors_close(out);
	unlink(in_path);
	unlink(out_path);
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

/* Without memory for that, the worker's time ends it. */
void
nursery_kill(struct nursery *nursery, long serial)
{
	if (!nursery->gone)
		outbox_say(&nursery->orders, "kill %ld 0\n", serial);
}

int
nursery_write(struct nursery *nursery)
{
	if (nursery->gone || outbox_write(&nursery->orders, NURSERY_NEWS, OUTBOX_PIPE) == 0)
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
	if (number_scan(number, 1, LONG_MAX, serial) != 0 ||
	    (last != NULL && number_scan(last, 0, INT_MAX, &value) != 0))
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
