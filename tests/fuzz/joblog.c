/*
 * jobctl's log of jobs: the input is the file that is there. A file that is no log stays as it is;
 * a log gets lines, has all of them when it is read next, and takes memory only in proportion to
 * the file. The input is a command and a label, too, which are read again as they were written.
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/book/book.h"
#include "ground.h"

#define COMMAND "the command"

static void
check_untouched(const char *name, const unsigned char *data, size_t size)
{
	unsigned char *now = malloc(size + 1);
	int fd = open(name, O_RDONLY);

	if (now == NULL || fd < 0 || read(fd, now, size + 1) != (ssize_t)size || memcmp(now, data, size) != 0)
		wrong("a file that is no log was changed");
	close(fd);
	free(now);
}

static void
add_line(struct joblog *log, long id, int status, const char *host, const char *command)
{
	struct end end = {.id = id, .host = host, .status = status};

	joblog_add(log, &end, command);
	if (log->failed)
		wrong("no line can be written");
}

/* How many jobs with that command have succeeded, and how many have failed. */
static void
count(struct joblog *log, long *succeeded, long *failed)
{
	for (*succeeded = 0; joblog_take(log, COMMAND, 0); ++*succeeded)
		;
	for (*failed = 0; joblog_take(log, COMMAND, 1); ++*failed)
		;
}

/* The input as a command of one line, to free. */
static char *
make_command(const unsigned char *data, size_t size)
{
	char *text = calloc(1, size + 1);

	if (text == NULL)
		wrong("no memory");
	for (size_t i = 0; i < size; i++)
		text[i] = data[i] == '\0' || data[i] == '\n' ? ' ' : (char)data[i];
	return text;
}

/* Each line added makes one more to take, whatever was there. */
static void
check_command(const char *name, const unsigned char *data, size_t size)
{
	struct joblog log = {0};
	char *command = make_command(data, size);
	int before = 0, now = 0;

	if (joblog_open(&log, name, 1, 0) != 0)
		wrong("a log to which lines were added is none");
	while (joblog_take(&log, command, 0))
		before++;
	add_line(&log, 51, 0, command, command);
	add_line(&log, 52, 0, command, command);
	joblog_close(&log);
	memset(&log, 0, sizeof log);
	if (joblog_open(&log, name, 1, 0) != 0)
		wrong("a log with a command of ours is none");
	while (joblog_take(&log, command, 0))
		now++;
	if (now != before + 2)
		wrong("a command is there %d times, not %d", now, before + 2);
	joblog_close(&log);
	free(command);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const char *name = "log";
	struct joblog log = {0};
	long before[2], now[2];
	int well = size % 2;

	ground_enter();
	ground_write(name, data, size);
	if (joblog_open(&log, name, 1, size / 2 % 2) != 0) {
		check_untouched(name, data, size);
		joblog_close(&log);
		return 0;
	}
	count(&log, &before[0], &before[1]);
	if (log.path == NULL) {
		check_untouched(name, data, size);
		joblog_close(&log);
		return 0;
	}
	add_line(&log, (long)(size % 50) + 1, 3, "1", COMMAND);
	add_line(&log, (long)(size % 50) + 1, well ? 0 : 3, "1", COMMAND); /* tried again */
	joblog_close(&log);
	memset(&log, 0, sizeof log);
	if (joblog_open(&log, name, 1, 0) != 0)
		wrong("our own log is none");
	count(&log, &now[0], &now[1]);
	if (now[0] != before[0] + well)
		wrong("%ld jobs have succeeded, %ld before", now[0], before[0]);
	if (now[1] > before[1] + !well || now[1] < before[1] - well)
		wrong("%ld jobs have failed, %ld before", now[1], before[1]);
	joblog_close(&log);
	check_command(name, data, size);
	return 0;
}
