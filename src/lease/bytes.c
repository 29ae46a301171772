/* FIONREAD is no part of POSIX. */
#if defined __linux__ && !defined PORTABLE
#include <sys/ioctl.h>
#endif
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../lib/descriptors.h"
#include "bytes.h"

enum { BLOCK = 4096 }; /* bytes at a time */

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
