#if defined __linux__ && !defined PORTABLE
#define _DEFAULT_SOURCE /* getentropy */
#endif
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "lib.h"

/* A chroot may have no /dev; getentropy() is in POSIX since 2024. Every system of today has the
   file, and a short read means a false one. */
int
secret_make(unsigned long long *number)
{
	ssize_t n = -1;
	int fd;

#if defined __linux__ && !defined PORTABLE
	if (getentropy(number, sizeof *number) == 0)
		return 0;
#endif
	fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, number, sizeof *number)) < 0 && errno == EINTR)
		;
	if (n >= 0)
		errno = EIO;
	descriptors_close(&fd);
	return n == (ssize_t)sizeof *number ? 0 : -1;
}
