#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

/* Not by chmod(2), which goes by the name, and follows links. */
int
fifo_make(const char *path, mode_t mode)
{
	mode_t mask = umask(0);
	int result = mkfifo(path, mode), reason = errno;

	umask(mask);
	errno = reason;
	return result;
}

int
fifo_open(int dir, const char *name, int flags)
{
	struct stat st;
	int fd = openat(dir, name, flags | O_NONBLOCK | O_CLOEXEC), reason = EEXIST;

	fd = descriptors_lift(fd, STDERR_FILENO + 1);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) != 0)
		reason = errno;
	else if (S_ISFIFO(st.st_mode))
		return fd;
	close(fd);
	errno = reason;
	return -1;
}

int
fifo_open_both(int dir, const char *name, int *reader, int *writer)
{
	if (*reader < 0 && *writer < 0 && mkfifoat(dir, name, 0600) != 0 && errno != EEXIST)
		return -1;
	if (*reader < 0)
		*reader = fifo_open(dir, name, O_RDONLY | O_NOFOLLOW);
	if (*reader >= 0 && *writer < 0)
		*writer = fifo_open(dir, name, O_WRONLY | O_NOFOLLOW);
	return *reader < 0 || *writer < 0 ? -1 : 0;
}

int
fifo_of_pool(const char *path)
{
	char beside[PATH_MAX];
	struct stat st;

	return stat(path, &st) == 0 && S_ISFIFO(st.st_mode) &&
	    snprintf(beside, sizeof beside, "%s.d", path) < (int)sizeof beside &&
	    stat(beside, &st) == 0 && S_ISDIR(st.st_mode);
}

const char *
fifo_colon(const char *operand)
{
	const char *end = *operand == '[' ? strstr(operand, "]:") : NULL;

	if (end != NULL)
		return end + 1; /* an address may have colons */
	operand += strcspn(operand, "/:");
	return *operand == ':' ? operand : NULL;
}
