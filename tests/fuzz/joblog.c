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
	text = joblog_text(&line);
	if (text == NULL || joblog_write(log, text) != 0)
		wrong("no line can be written");
	free(text);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct joblog log = {0};
	enum joblog_past before[4];
	long id = size % 50 + 1;
	int i;

	ground_enter();
	ground_write("log", data, size);
	if (joblog_open(&log, "log", 1) != 0) {
		check_untouched(data, size);
		joblog_close(&log);
		return 0;
	}
	for (i = 0; i < 4; i++)
		before[i] = joblog_past(&log, id + 1 + i, COMMAND);
	add_line(&log, id, size % 2 ? 0 : 3); /* and once more: the last counts */
	add_line(&log, id, size % 2 ? 3 : 0);
	joblog_close(&log);
	memset(&log, 0, sizeof log);
	if (joblog_open(&log, "log", 1) != 0)
		wrong("our own log is none");
	if (joblog_past(&log, id, COMMAND) != (size % 2 ? PAST_FAILED : PAST_SUCCEEDED))
		wrong("job %ld is forgotten", id);
	if (joblog_past(&log, id, "another") != PAST_OTHER)
		wrong("job %ld was another one", id);
	for (i = 0; i < 4; i++)
		if (joblog_past(&log, id + 1 + i, COMMAND) != before[i])
			wrong("job %ld has another past", id + 1 + i);
	joblog_close(&log);
	return 0;
}
