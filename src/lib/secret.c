#if defined __linux__ && !defined PORTABLE
#define _DEFAULT_SOURCE /* getentropy */
#endif
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "secret.h"

/* POSIX does not have it, but every system of today does. A short read means a false file. */
static int
read_file(unsigned long long *number)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC), reason;
	ssize_t n;

	if (fd < 0)
		return -1;
	do
		n = read(fd, number, sizeof *number);
	while (n < 0 && errno == EINTR);
	reason = n < 0 ? errno : EIO;
	close(fd);
	errno = reason;
	return n == (ssize_t)sizeof *number ? 0 : -1;
}

/* A chroot may have no /dev. getentropy() is in POSIX since 2024. */
int
secret_make(unsigned long long *number)
{
#if defined __linux__ && !defined PORTABLE
	if (getentropy(number, sizeof *number) == 0)
		return 0;
#endif
	return read_file(number);
}
