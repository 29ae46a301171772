#include <sys/socket.h>
#include <sys/un.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

enum { BACKLOG = 16 };

/* The descriptor to use; or -1 with errno, and fd is closed. */
static int
prepare(int fd)
{
	fd = descriptors_lift(fd, STDERR_FILENO + 1);
	if (fd >= 0 && (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 ||
	    fcntl(fd, F_SETFL, O_NONBLOCK) != 0))
		descriptors_close(&fd);
	return fd;
}

static int
open_socket(const char *path, struct sockaddr_un *name)
{
	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof name->sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(name->sun_path, path);
	return prepare(socket(AF_UNIX, SOCK_STREAM, 0));
}

int
local_connect(const char *path)
{
	struct sockaddr_un name;
	int fd = open_socket(path, &name);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&name, sizeof name) != 0)
		descriptors_close(&fd);
	return fd;
}

int
local_listen(const char *path)
{
	struct sockaddr_un name;
	int fd = open_socket(path, &name);

	if (fd >= 0 && (bind(fd, (struct sockaddr *)&name, sizeof name) != 0 ||
	    listen(fd, BACKLOG) != 0))
		descriptors_close(&fd);
	return fd;
}

int
local_accept(int listener)
{
	return prepare(accept(listener, NULL, NULL));
}

int
local_pair(int ends[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return -1;
	ends[0] = prepare(ends[0]);
	ends[1] = prepare(ends[1]);
	if (ends[0] >= 0 && ends[1] >= 0)
		return 0;
	descriptors_close(&ends[0]);
	descriptors_close(&ends[1]);
	return -1;
}
