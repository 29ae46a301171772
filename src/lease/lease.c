/* FIONREAD is no part of POSIX. */
#if defined __linux__ && !defined PORTABLE
#include <sys/ioctl.h>
#endif
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lease.h"

enum {
	BLOCK = 4096, /* bytes at a time */
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
	char again[LEASE_NAME], *mark;

	*slot = strtol(name, &mark, 10);
	*generation = *mark == '_' ? strtol(mark + 1, NULL, 10) : 0;
	if (*slot < 1 || *slot > INT_MAX || *generation < 0 || *generation > INT_MAX)
		return -1;
	lease_name(again, *slot, *generation);
	return strcmp(again, name) == 0 ? 0 : -1; /* no leading zeros, nothing behind */
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

long
bytes_put(int fd, long count)
{
	char block[BLOCK];
	long done = 0;
	ssize_t n = 1;

	memset(block, '+', sizeof block);
	while (done < count && n > 0) {
		n = write(fd, block, (size_t)(count - done > BLOCK ? BLOCK : count - done));
		if (n > 0)
			done += n;
	}
	return done;
}

long
bytes_draw(int fd, long count)
{
	char block[BLOCK];
	long done = 0;
	ssize_t n = 1;

	while (done < count && n > 0) {
		n = read(fd, block, (size_t)(count - done > BLOCK ? BLOCK : count - done));
		if (n > 0)
			done += n;
	}
	return done;
}

#ifdef FIONREAD
long
bytes_unread(int fd)
{
	int bytes;

	return ioctl(fd, FIONREAD, &bytes) == 0 ? bytes : 0;
}

long
bytes_counted(int fd, int other)
{
	(void)other;
	return bytes_unread(fd);
}
#else
enum { FULL = 65536 };

long
bytes_unread(int fd)
{
	return descriptors_poll(fd, POLLIN, 0) & POLLIN ? 1 : 0;
}

long
bytes_counted(int fd, int other)
{
	return bytes_unread(fd) == 0 ? 0 : bytes_put(other, bytes_draw(fd, FULL));
}
#endif
