#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "lib.h"

enum { GAP = 64 /* so many closed ones in a row, and none above is open */ };

int
descriptors_fill(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			return -1;
	return 0;
}

long
descriptors_allow(long need)
{
	struct rlimit limit;
	rlim_t before;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    limit.rlim_cur >= (rlim_t)need)
		return need;
	before = limit.rlim_cur;
	limit.rlim_cur = (rlim_t)need;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < limit.rlim_cur)
		limit.rlim_cur = limit.rlim_max;
	return (long)(setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before);
}

int
descriptors_lift(int fd, int least)
{
	int higher = fd;

	if (fd >= 0 && fd < least) {
		higher = fcntl(fd, F_DUPFD_CLOEXEC, least);
		descriptors_close(&fd);
	}
	return higher;
}

void
descriptors_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

short
descriptors_poll(int fd, short events, int ms)
{
	struct pollfd one = {.fd = fd, .events = events};

	return poll(&one, 1, ms) > 0 ? one.revents : 0;
}

int
descriptors_write(int fd, const char *text, size_t length)
{
	ssize_t n;

	for (; length > 0; text += n, length -= (size_t)n)
		if ((n = write(fd, text, length)) < 0) {
			if (errno == EAGAIN)
				descriptors_poll(fd, POLLOUT, -1);
			else if (errno != EINTR)
				return -1;
			n = 0;
		}
	return 0;
}

int
descriptors_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

int
descriptors_find(const struct stat *file)
{
	struct stat st;

	for (int fd = STDERR_FILENO + 1, closed = 0; closed < GAP; fd++)
		if (fstat(fd, &st) != 0)
			closed++;
		else if (descriptors_same(&st, file) &&
		    (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
			return fd;
		else
			closed = 0;
	return -1;
}

void
descriptors_tell(int fd, char text[DESCRIPTORS_TELL])
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		st = (struct stat){0}; /* it is closed */
	snprintf(text, DESCRIPTORS_TELL, "%llx.%llx", (unsigned long long)st.st_dev,
	    (unsigned long long)st.st_ino);
}

int
descriptors_named(int fd, int dir, const char *name)
{
	struct stat ours, there;

	if (fstat(fd, &ours) != 0)
		return -1;
	if (fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	return descriptors_same(&ours, &there);
}

int
descriptors_unblocked(int fd)
{
#if defined __linux__ && !defined PORTABLE
	struct stat st;
	char path[32];

	if (fstat(fd, &st) != 0 || (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode)))
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return descriptors_lift(open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC),
	    STDERR_FILENO + 1);
#else
	(void)fd;
	return -1;
#endif
}

int
descriptors_sync(int fd)
{
	while (fsync(fd) != 0)
		if (errno != EINTR)
			return errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : -1;
	return 0;
}

int
descriptors_pipe(int ends[2], int ours)
{
	if (pipe(ends) != 0)
		return -1;
	ends[0] = descriptors_lift(ends[0], STDERR_FILENO + 1);
	ends[1] = descriptors_lift(ends[1], STDERR_FILENO + 1);
	if (ends[0] >= 0 && ends[1] >= 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
	    fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 &&
	    (ours < 0 || fcntl(ends[ours], F_SETFL, O_NONBLOCK) == 0))
		return 0;
	descriptors_close(&ends[0]);
	descriptors_close(&ends[1]);
	return -1;
}
