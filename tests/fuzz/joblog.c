/*
 * jobctl's log of jobs: the input is the file that is there. What is no log stays as it
 * is; to what is one, a line is added, and then all is there at the next time, and takes
 * no more memory than is in proportion to the file.
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/book/joblog.h"
#include "ground.h"

#define COMMAND "the command"

static void
check_untouched(const unsigned char *data, size_t size)
{
	unsigned char *now = malloc(size + 1);
	int fd = open("log", O_RDONLY);

	if (now == NULL || fd < 0 || read(fd, now, size + 1) != (ssize_t)size || memcmp(now, data, size) != 0)
		wrong("a file that is no log was changed");
	close(fd);
	free(now);
}

static void
add_line(struct joblog *log, long id, int status)
{
	struct joblog_line line = {0};
	char *text;

	line.id = id;
	line.host = "1";
	line.command = COMMAND;
	line.status = status;
	text = joblog_text(log, &line);
	if (text == NULL || joblog_write(log, text) != 0)
		wrong("no line can be written");
	free(text);
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

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct joblog log = {0};
	long before[2], now[2];
	int well = size % 2;

	ground_enter();
	ground_write("log", data, size);
	if (joblog_open(&log, "log", 1, size / 2 % 2) != 0) {
		check_untouched(data, size);
		joblog_close(&log);
		return 0;
	}
	count(&log, &before[0], &before[1]);
	if (log.path == NULL) {
		check_untouched(data, size);
		joblog_close(&log);
		return 0;
	}
	add_line(&log, (long)(size % 50) + 1, 3);
	add_line(&log, (long)(size % 50) + 1, well ? 0 : 3); /* tried again */
	joblog_close(&log);
	memset(&log, 0, sizeof log);
	if (joblog_open(&log, "log", 1, 0) != 0)
		wrong("our own log is none");
	count(&log, &now[0], &now[1]);
	if (now[0] != before[0] + well)
		wrong("%ld jobs have succeeded, %ld before", now[0], before[0]);
	if (now[1] > before[1] + !well || now[1] < before[1] - well)
		wrong("%ld jobs have failed, %ld before", now[1], before[1]);
	joblog_close(&log);
	return 0;
}
