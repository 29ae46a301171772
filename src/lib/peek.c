#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "lib.h"

ssize_t
peek(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, text, size - 1)) < 0 && errno == EINTR)
		;
	descriptors_close(&fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}
