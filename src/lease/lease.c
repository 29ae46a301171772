#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../lib/fifo.h"
#include "../lib/number.h"
#include "../lib/room.h"
#include "lease.h"

enum {
	READS = 200, /* a holder may write faster than we read */
	TRIES = 3
};

void
lease_name(char name[LEASE_NAME], long slot, long generation)
{
	if (generation == 0)
		snprintf(name, LEASE_NAME, "%ld", slot);
	else
		snprintf(name, LEASE_NAME, "%ld_%ld", slot, generation);
}

int
lease_parse(const char *name, long *slot, long *generation)
{
	char copy[LEASE_NAME], again[LEASE_NAME];
	char *mark;

	*generation = 0;
	if (strlen(name) >= sizeof copy)
		return -1;
	strcpy(copy, name);
	if ((mark = strchr(copy, '_')) != NULL) {
		*mark++ = '\0';
		if (number_scan(mark, 1, INT_MAX, generation) != 0)
			return -1;
	}
	if (number_scan(copy, 1, INT_MAX, slot) != 0)
		return -1;
	lease_name(again, *slot, *generation);
	return strcmp(again, name) == 0 ? 0 : -1; /* no leading zeros */
}

int
lease_open(int dir, const char *name)
{
	int fd = fifo_open(dir, name, O_RDONLY | O_NOFOLLOW);

	if (fd < 0 && errno == ENOENT && mkfifoat(dir, name, 0600) == 0)
		fd = fifo_open(dir, name, O_RDONLY | O_NOFOLLOW);
	return fd;
}

/* Not EACCES: another user could cause that for ever. */
int
lease_unknown(int error)
{
	return room_short(error) || error == EIO || error == EINTR || error == ENOSPC;
}

/* A lease that cannot be read counts as held. */
int
lease_held(int fd)
{
	char block[512];
	int reads = 0, failures = 0;
	ssize_t n;

	if (fd < 0)
		return 0;
	do
		n = read(fd, block, sizeof block);
	while ((n > 0 && ++reads < READS) ||
	    (n < 0 && errno != EAGAIN && (errno == EINTR || ++failures < TRIES)));
	return n != 0;
}
