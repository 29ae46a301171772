#include <sys/resource.h>

#include <fcntl.h>
#include <unistd.h>

#include "descriptors.h"

int
descriptors_fill(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	return fd < 0 ? -1 : close(fd);
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
	limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= (rlim_t)need ? (rlim_t)need
	                                                                                   : limit.rlim_max;
	return (long)(setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before);
}
