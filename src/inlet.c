#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "complain.h"
#include "inlet.h"
#include "status.h"

const char *
inlet_default(const char *operand)
{
	const char *path = operand != NULL ? operand : getenv("FIFO");

	if (path == NULL || *path == '\0')
		fail(STATUS_TROUBLE, "no FIFO: none named, and $FIFO is not set");
	return path;
}

int
inlet_open(const char *path)
{
	struct stat st;
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 && (errno == ENXIO || errno == ENOENT))
		fail(STATUS_GONE, "%s: no dispenser there", path);
	if (fd < 0)
		fail(STATUS_TROUBLE, "%s:", path);
	if (fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode))
		fail(STATUS_TROUBLE, "%s: not a FIFO", path);
	return fd;
}

void
inlet_write(int inlet, const char *path, const char *text, size_t length)
{
	struct pollfd out = {0};

	out.fd = inlet;
	out.events = POLLOUT;
	signal(SIGPIPE, SIG_IGN);
	while (write(inlet, text, length) < 0) {
		if (errno == EPIPE)
			fail(STATUS_GONE, "%s: the dispenser went away", path);
		if (errno == EAGAIN)
			poll(&out, 1, -1); /* whatever it says, write tells the truth */
		else if (errno != EINTR)
			fail(STATUS_TROUBLE, "%s:", path);
	}
}
