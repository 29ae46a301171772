/*
 * tokget -- takes a token from the pipe that a dispenser writes to: what the
 * attendant's own read does, for a script that keeps its own loop.
 *
 * Reads one byte at a time, so that what follows the token stays in the pipe.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "inlet.h"
#include "status.h"

#define USAGE "usage: tokget -\n"

enum { LINE = 8192 };

static int
read_byte(char *byte)
{
	ssize_t n;

	do
		n = read(STDIN_FILENO, byte, 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		fail(STATUS_TROUBLE, "standard input:");
	return n == 1;
}

/* One line without its newline, cut at LINE - 1 bytes; exits at the end. */
static void
read_line(char line[LINE])
{
	size_t used = 0;
	char byte;

	for (;;) {
		if (!read_byte(&byte))
			fail(STATUS_GONE, "standard input: the dispenser went away");
		if (byte == '\n')
			break;
		if (used < LINE - 1)
			line[used++] = byte;
		/* the byte form: a token, or the end, is a whole answer */
		if (used == 1 && byte == 'C')
			break;
		if (used == 1 && byte == '.')
			fail(STATUS_GONE, "standard input: the dispenser has ended");
	}
	line[used] = '\0';
}

/* The lease that a line makes free, cut out of it in place, or NULL. */
static char *
free_lease(char *line)
{
	char *word = strtok(line, " "), *lease = strtok(NULL, " ");

	if (word == NULL || lease == NULL)
		return word; /* the brief form of "done" */
	if (strcmp(word, "stop") == 0)
		fail(STATUS_GONE, "standard input: the dispenser is closing");
	if (strcmp(word, "early") == 0)
		return strtok(NULL, " ");
	return strcmp(word, "free") == 0 || strcmp(word, "done") == 0 ? lease : NULL;
}

int
main(int argc, char **argv)
{
	char line[LINE], *lease;
	int option;

	program = "tokget";
	while ((option = getopt(argc, argv, "hV")) != -1)
		switch (option) {
		case 'h': return fputs(USAGE, stdout) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		case 'V': return puts("tokget " VERSION) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		default: fputs(USAGE, stderr); return STATUS_TROUBLE;
		}
	if (argc - optind != 1 || strcmp(argv[optind], "-") != 0) {
		fputs(USAGE, stderr);
		return STATUS_TROUBLE;
	}
	for (;;) {
		read_line(line);
		if (strcmp(line, "C") == 0)
			return STATUS_DONE;
		if ((lease = free_lease(line)) != NULL)
			break;
	}
	if (printf("%s.d/%s\n", inlet_default(NULL), lease) < 0 || fflush(stdout) != 0)
		fail(STATUS_TROUBLE, "standard output:");
	return STATUS_DONE;
}
