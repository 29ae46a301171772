/*
 * seat NAME command [arg...] -- runs the command on the first free seat, numbered from 1, and
 * appends the line "NAME SEAT" to the file $SEATS: so the highest seat in the file is how many such
 * commands ran at once. A seat is a lock, which exec keeps and any death frees. While one process
 * looks for a seat no other takes one: seats seen taken were all taken at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
lock(int fd, long byte, short type, int command)
{
	struct flock l;

	memset(&l, 0, sizeof l);
	l.l_type = type;
	l.l_whence = SEEK_SET;
	l.l_start = (off_t)byte;
	l.l_len = 1;
	return fcntl(fd, command, &l);
}

int
main(int argc, char **argv)
{
	const char *path = getenv("SEATS");
	char line[100];
	long seat = 1;
	int fd, length;

	if (argc < 3 || path == NULL || (fd = open(path, O_RDWR | O_APPEND | O_CREAT, 0600)) < 0)
		return 125;
	while (lock(fd, 0, F_WRLCK, F_SETLKW) != 0)
		if (errno != EINTR)
			return 125;
	while (lock(fd, seat, F_WRLCK, F_SETLK) != 0)
		seat++;
	length = snprintf(line, sizeof line, "%.60s %ld\n", argv[1], seat);
	if (write(fd, line, (size_t)length) != length || lock(fd, 0, F_UNLCK, F_SETLK) != 0)
		return 125;
	execvp(argv[2], argv + 2);
	return 127;
}
