/*
 * crowd FIFO SLOTS WAITERS -- holds SLOTS tokens of a dispenser, has WAITERS more requests wait for
 * one, says so, and goes on until it is killed. It is one process, with a descriptor for each.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
need(int good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

/* Makes a client's FIFO, keeps its lease open, and asks. With wait, waits for the answer. */
static void
ask(const char *fifo, int inlet, long n, int wait)
{
	char path[512], line[128], answer[256];
	int in, out;

	snprintf(path, sizeof path, "%s.d/w/%ld_%ld", fifo, (long)getpid(), n);
	need(mkfifo(path, 0600) == 0, path);
	need((in = open(path, O_RDONLY | O_NONBLOCK)) >= 0, path);
	need((out = open(path, O_WRONLY)) >= 0, path);
	snprintf(line, sizeof line, "@get %ld_%ld 1 5 -\n", (long)getpid(), n);
	need(write(inlet, line, strlen(line)) == (ssize_t)strlen(line), "inlet");
	if (wait) {
		need(fcntl(in, F_SETFL, 0) == 0, path);
		need(read(in, answer, sizeof answer) > 0, path);
	}
	close(in); /* an answer waits in the FIFO as long as somebody has it open */
}

int
main(int argc, char **argv)
{
	struct rlimit limit;
	long slots, waiters;
	int inlet;

	if (argc != 4)
		return 125;
	slots = strtol(argv[2], NULL, 10);
	waiters = strtol(argv[3], NULL, 10);
	need(getrlimit(RLIMIT_NOFILE, &limit) == 0, "limit");
	limit.rlim_cur = limit.rlim_max;
	need(setrlimit(RLIMIT_NOFILE, &limit) == 0, "limit");
	need((inlet = open(argv[1], O_WRONLY)) >= 0, argv[1]);
	for (long n = 1; n <= slots + waiters; n++)
		ask(argv[1], inlet, n, n <= slots);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
