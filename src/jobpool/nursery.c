#include <sys/select.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../lib/descriptors.h"
#include "../lib/fifo.h"
#include "../lib/number.h"
#include "nursery.h"

struct names {
	char in[32], out[32];
};

static struct names
names_of(long serial)
{
	struct names names;

	snprintf(names.in, sizeof names.in, "%ld.in", serial);
	snprintf(names.out, sizeof names.out, "%ld.out", serial);
	return names;
}

int
nursery_open(struct nursery *nursery, const char *directory)
{
	*nursery = (struct nursery){.keep = -1, .news = {.fd = -1, .own = 1, .separator = '\n'}};
	if (fcntl(NURSERY_NEWS, F_SETFD, FD_CLOEXEC) != 0)
		return -1;
	nursery->dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (nursery->dir < 0 || mkfifoat(nursery->dir, "workers", 0600) != 0)
		return -1;
	return fifo_open_both(nursery->dir, "workers", &nursery->news.fd, &nursery->keep);
}

void
nursery_opened(struct nursery *nursery, long serial, int *hold)
{
	struct names names = names_of(serial);

	if (*hold < 0)
		return;
	unlinkat(nursery->dir, names.in, 0);
	unlinkat(nursery->dir, names.out, 0);
	descriptors_close(hold);
}

int
nursery_start(struct nursery *nursery, long number, int *in, int *hold, int *out)
{
	long serial = nursery->serial + 1;
	struct names names = names_of(serial);
	int error = EMFILE; /* an fd_set has no room for more */

	if (nursery->gone)
		return EPIPE;
	*in = *hold = *out = -1;
	if (fifo_open_both(nursery->dir, names.in, hold, in) != 0 ||
	    mkfifoat(nursery->dir, names.out, 0600) != 0 ||
	    (*out = fifo_open(nursery->dir, names.out, O_RDONLY | O_NOFOLLOW)) < 0 ||
	    (*in < FD_SETSIZE && *out < FD_SETSIZE &&
	    outbox_say(&nursery->orders, "start %ld %ld\n", serial, number) != 0)) {
		error = errno;
	} else if (*in < FD_SETSIZE && *out < FD_SETSIZE) {
		nursery->serial = serial;
		return 0;
	}
	nursery_opened(nursery, serial, hold);
	descriptors_close(in);
	descriptors_close(out);
	return error;
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
