#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../lib/number.h"
#include "lease.h"

void
lease_name(const struct lease *lease, char name[LEASE_NAME])
{
	if (lease->generation == 0)
		snprintf(name, LEASE_NAME, "%u", lease->slot);
	else
		snprintf(name, LEASE_NAME, "%u_%u", lease->slot, lease->generation);
}

int
lease_parse(struct lease *lease, const char *name)
{
	char copy[LEASE_NAME], again[LEASE_NAME];
	char *mark;
	long slot, generation = 0;

	if (strlen(name) >= sizeof copy)
		return -1;
	strcpy(copy, name);
	if ((mark = strchr(copy, '_')) != NULL) {
		*mark++ = '\0';
		if (number_scan(mark, 1, INT_MAX, &generation) != 0)
			return -1;
	}
	if (number_scan(copy, 1, INT_MAX, &slot) != 0)
		return -1;
	lease->fd = -1;
	lease->slot = (unsigned)slot;
	lease->generation = (unsigned)generation;
	lease_name(lease, again);
	return strcmp(again, name) == 0 ? 0 : -1; /* no leading zeros */
}

int
lease_open(struct lease *lease, int dir)
{
	char name[LEASE_NAME];
	struct stat st;
	int flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;

	lease_name(lease, name);
	lease->fd = openat(dir, name, flags);
	if (lease->fd < 0 && errno == ENOENT) {
		if (mkfifoat(dir, name, 0600) != 0)
			return -1;
		lease->fd = openat(dir, name, flags);
	}
	if (lease->fd < 0)
		return -1;
	if (fstat(lease->fd, &st) != 0 || !S_ISFIFO(st.st_mode)) {
		lease_close(lease);
		errno = EEXIST;
		return -1;
	}
	return 0;
}

void
lease_close(struct lease *lease)
{
	if (lease->fd >= 0)
		close(lease->fd);
	lease->fd = -1;
}

void
lease_remove(const struct lease *lease, int dir)
{
	char name[LEASE_NAME];

	lease_name(lease, name);
	unlinkat(dir, name, 0);
}

int
lease_held(const struct lease *lease)
{
	char block[512];
	int reads = 0, failures = 0;
	ssize_t n;

	if (lease->fd < 0)
		return 0;
	/* Bounded: a holder may write faster than we read. What cannot be read is held. */
	do
		n = read(lease->fd, block, sizeof block);
	while ((n > 0 && ++reads < 200) || (n < 0 && errno != EAGAIN && (errno == EINTR || ++failures < 3)));
	return n != 0;
}
