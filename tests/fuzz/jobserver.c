/*
 * A client of make's jobserver: it reads MAKEFLAGS, and gives back all that it took. The
 * first byte says how many tokens there are, the second what is done with them, the rest
 * is MAKEFLAGS, where the jobserver is at descriptors 60 and 61, or the FIFO "j".
 */
#include "../../src/lease/jobserver.c"

#include "ground.h"

enum { READ = 60, WRITE = 61, TOKENS = 16 };

/* Moves fd to that number, with that many tokens in it. */
static void
put_at(int number, int fd, int tokens)
{
	if (fd < 0 || dup2(fd, number) < 0 || close(fd) != 0)
		wrong("no descriptor %d", number);
	if (tokens > 0 && write(number, "++++++++++++++++", (size_t)tokens) != tokens)
		wrong("no tokens");
}

static void
set_up(int tokens)
{
	int ends[2];

	unlink("j");
	if (pipe(ends) != 0 || mkfifo("j", 0600) != 0)
		wrong("no pipe");
	put_at(READ, ends[0], 0);
	put_at(WRITE, ends[1], tokens);
	put_at(READ + 2, open("j", O_RDONLY | O_NONBLOCK), 0);
	put_at(WRITE + 2, open("j", O_WRONLY), tokens);
}

static int
count(int fd)
{
	char bytes[TOKENS * 2];
	ssize_t n;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	n = read(fd, bytes, sizeof bytes);
	return n < 0 ? 0 : (int)n;
}

static void
use(int jobs)
{
	int i;

	for (i = 0; i < jobs; i++)
		if (!jobserver_take(i))
			break;
	if (i == 0 && jobs > 0)
		wrong("the first token is there without asking");
	jobserver_settle(i / 2);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	int tokens, jobs, alone;
	const char *why;
	char *flags;

	if (size < 2)
		return 0;
	ground_enter();
	tokens = data[0] % (TOKENS + 1);
	jobs = data[1] % (TOKENS * 2);
	alone = data[1] > 127;
	set_up(tokens);
	flags = ground_text(data + 2, size - 2);
	if (strstr(flags, "/") != NULL || strstr(flags, "..") != NULL)
		flags[0] = '\0'; /* nothing of this machine's */
	setenv("MAKEFLAGS", flags, 1);
	free(flags);
	memset(&server, 0, sizeof server);
	server.read = server.write = -1;
	if (jobserver_open(alone, &why) == 0) {
		if (jobserver_jobs() < 1)
			wrong("%ld jobs", jobserver_jobs());
		use(jobs);
	}
	jobserver_close();
	close(WRITE);
	if (fcntl(READ, F_GETFD) >= 0 && count(READ) != tokens)
		wrong("the pipe had %d tokens", tokens);
	if (count(READ + 2) != tokens)
		wrong("the FIFO had %d tokens", tokens);
	close(READ);
	close(READ + 2);
	close(WRITE + 2);
	return 0;
}
