/*
 * witness FILE MOST -- until SIGTERM, counts many times a second how many seats of the file
 * are taken (see seat.c), and then prints "N at once, in M looks". Exits with 1 as soon as
 * there are more than MOST. It asks the kernel who has locks, and reads no file of ours.
 * Nobody takes a seat while it counts: seats seen taken were all taken at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SEATS = 200 };

static volatile sig_atomic_t over;

static void
on_term(int sig)
{
	(void)sig;
	over = 1;
}

static int
lock(int fd, long byte, short type, int command, short *found)
{
	struct flock l;
	int result;

	memset(&l, 0, sizeof l);
	l.l_type = type;
	l.l_whence = SEEK_SET;
	l.l_start = (off_t)byte;
	l.l_len = 1;
	result = fcntl(fd, command, &l);
	*found = l.l_type;
	return result;
}

/* How many seats are taken; -1: a signal came. */
static int
count(int fd)
{
	short found;
	int taken = 0;

	if (lock(fd, 0, F_WRLCK, F_SETLKW, &found) != 0)
		return -1;
	for (long seat = 1; seat <= SEATS; seat++)
		taken += lock(fd, seat, F_WRLCK, F_GETLK, &found) == 0 && found != F_UNLCK;
	return lock(fd, 0, F_UNLCK, F_SETLK, &found) == 0 ? taken : -1;
}

int
main(int argc, char **argv)
{
	struct timespec pause = {0, 2000000};
	struct sigaction term;
	int fd = argc == 3 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1, taken, highest = 0;
	long looks = 0;

	memset(&term, 0, sizeof term);
	term.sa_handler = on_term; /* not restarted: it may come while we wait for the lock */
	if (fd < 0 || sigaction(SIGTERM, &term, NULL) != 0)
		return 125;
	while (!over && highest <= atoi(argv[2])) {
		if ((taken = count(fd)) < 0 && errno != EINTR)
			return 125;
		looks += taken >= 0;
		if (taken > highest)
			highest = taken;
		nanosleep(&pause, NULL);
	}
	printf("%d at once, in %ld looks\n", highest, looks);
	return highest > atoi(argv[2]);
}
