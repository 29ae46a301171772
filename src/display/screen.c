#ifndef PORTABLE
#include <sys/ioctl.h>
#endif

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "display.h"

static int
knows(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term != NULL && *term != '\0' && strcmp(term, "dumb") != 0;
}

int
screen_coloured(int fd)
{
	const char *no = getenv("NO_COLOR");

	return (no == NULL || *no == '\0') && knows(fd);
}

/* POSIX has tcgetwinsize(3) only since 2024; systems have had this ioctl for long. */
void
screen_measure(struct screen *screen)
{
	const char *columns = getenv("COLUMNS"), *rows = getenv("LINES");
	long n = 0;

	screen->columns = columns != NULL && number_scan(columns, 1, 9999, &n) == 0 ? (int)n : 80;
	screen->rows = rows != NULL && number_scan(rows, 1, 9999, &n) == 0 ? (int)n : 24;
#if defined TIOCGWINSZ && !defined PORTABLE
	struct winsize size;

	if (ioctl(screen->fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
		screen->columns = size.ws_col;
		screen->rows = size.ws_row > 0 ? size.ws_row : screen->rows;
	}
#endif
}

void
screen_open(struct screen *screen, int fd)
{
	*screen = (struct screen){.fd = fd, .there = isatty(fd), .moves = knows(fd),
	    .coloured = screen_coloured(fd)};
	screen_measure(screen);
}

/* A terminal that does not control us has no foreground, and stops nobody. */
int
screen_is_foreground(int fd)
{
	pid_t group = tcgetpgrp(fd);

	return group < 0 || group == getpgrp();
}
