/*
 * greedy STYLE JOBS SECONDS[+N] NAME -- a client of a jobserver that wants as many
 * tokens as it can get, for JOBS jobs (0: without end) of SECONDS each; the first jobs
 * wait until N of them run at once. It makes the system calls of
 *
 *	make	GNU make 4.4: a path, opened for reading and for writing, or as pipe; each
 *		token given back as '+' when its job ends, and asked for anew
 *	pipe	GNU make 4.3: the same with two inherited descriptors
 *	ninja	ninja 1.13: the last jobserver named, a path; asks when it starts and when
 *		one of its own jobs ends
 *	cargo	the last jobserver named, also in CARGO_MAKEFLAGS; keeps its tokens while
 *		it has work
 *	idle	takes none, and runs its jobs one after another
 *
 * A job appends "in NAME" and "out NAME" to the file "log" as it begins and ends. A
 * signal ends the client, which then gives nothing back, but not its jobs.
 */
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000 };

static int in, out, logged;
static const char *style, *name;
static char tokens[MOST];  /* read, and not given back */
static int held, running;
static sigset_t unblocked;

static void
on_child(int sig)
{
	(void)sig;
}

static void
note(const char *word)
{
	char line[100];
	int length = snprintf(line, sizeof line, "%s %s\n", word, name);

	if (write(logged, line, (size_t)length) < 0)
		exit(3);
}

/* The jobserver that the client finds: make does not look among the variables. */
static const char *
announced(void)
{
	const char *flags = getenv("CARGO_MAKEFLAGS"), *end, *found = NULL;

	if (strcmp(style, "cargo") != 0 || flags == NULL)
		flags = getenv("MAKEFLAGS");
	if (flags == NULL)
		return NULL;
	end = strcmp(style, "cargo") == 0 || strcmp(style, "ninja") == 0 ? NULL
	    : strstr(flags, " -- ");
	while ((flags = strstr(flags, "--jobserver-auth=")) != NULL && (end == NULL || flags < end))
		found = flags += strlen("--jobserver-auth=");
	return found;
}

static void
connect_to_jobserver(void)
{
	const char *word = announced();
	char path[2000];
	int both = strcmp(style, "cargo") == 0;

	if (word == NULL)
		exit(4);
	if (sscanf(word, "%d,%d", &in, &out) == 2) {
		fcntl(in, F_SETFL, O_NONBLOCK); /* like make */
		return;
	}
	if (sscanf(word, "fifo:%1999s", path) != 1)
		exit(5);
	if (strcmp(style, "ninja") == 0) {
		in = open(path, O_RDONLY | O_NONBLOCK);
		out = open(path, O_WRONLY | O_NONBLOCK);
	} else {
		in = open(path, both ? O_RDWR : O_RDONLY);
		out = open(path, both ? O_RDWR : O_WRONLY);
	}
	if (in < 0 || out < 0 || fcntl(in, F_SETFL, O_NONBLOCK) != 0)
		exit(6);
}

/* make asks pselect before it reads. If a child ends just then, wait_for() hears it. */
static int
take(void)
{
	struct timespec now = {0};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(in, &set);
	if (strcmp(style, "idle") == 0 || held == MOST ||
	    ((strcmp(style, "make") == 0 || strcmp(style, "pipe") == 0) &&
	    pselect(in + 1, &set, NULL, NULL, &now, NULL) != 1) ||
	    read(in, tokens + held, 1) != 1)
		return 0;
	held++;
	return 1;
}

static void
give_back(void)
{
	if (held == 0)
		return;
	held--;
	if (strcmp(style, "make") == 0 || strcmp(style, "pipe") == 0)
		tokens[held] = '+';
	if (write(out, tokens + held, 1) != 1)
		exit(7);
}

/* The most jobs that have run at once, by the log. */
static long
peak(void)
{
	FILE *log = fopen("log", "r");
	char line[100];
	long now = 0, most = 0;

	if (log == NULL)
		exit(8);
	while (fgets(line, sizeof line, log) != NULL) {
		now += strncmp(line, "in ", 3) == 0 ? 1 : -1;
		most = now > most ? now : most;
	}
	fclose(log);
	return most;
}

static void
nap(double seconds)
{
	struct timespec pause;

	pause.tv_sec = (time_t)seconds;
	pause.tv_nsec = (long)((seconds - (double)pause.tv_sec) * 1e9);
	nanosleep(&pause, NULL);
}

static void
start(const char *time)
{
	char *rest;
	double seconds = strtod(time, &rest);

	running++;
	if (fork() != 0)
		return;
	sigprocmask(SIG_SETMASK, &unblocked, NULL);
	note("in");
	while (*rest == '+' && peak() < atol(rest + 1))
		nap(0.005);
	nap(seconds);
	note("out");
	_exit(0);
}

static void
reap(int jobs_left)
{
	int keep = strcmp(style, "cargo") == 0 && jobs_left;

	while (waitpid(-1, NULL, WNOHANG) > 0) {
		running--;
		if (!keep)
			give_back();
	}
}

/* ninja and cargo ask as they begin, then only when a job ends, which +N jobs do not. */
static void
await_tokens(const char *time)
{
	char *rest;
	int bytes = 0;

	strtod(time, &rest);
	while (*rest == '+' && ioctl(in, FIONREAD, &bytes) == 0 && bytes < atol(rest + 1) - 1)
		nap(0.005);
}

/* Waits until a child has ended or, with token, there is a token. */
static void
wait_for(int token)
{
	fd_set set;

	FD_ZERO(&set);
	if (token)
		FD_SET(in, &set);
	pselect(in + 1, &set, NULL, NULL, NULL, &unblocked);
}

int
main(int argc, char **argv)
{
	struct sigaction action = {0};
	sigset_t blocked;
	long left;

	if (argc != 5)
		return 2;
	style = argv[1];
	name = argv[4];
	left = strcmp(argv[2], "0") == 0 ? 0x7fffffff : atol(argv[2]);
	action.sa_handler = on_child;
	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, &unblocked);
	logged = open("log", O_WRONLY | O_APPEND | O_CREAT, 0600);
	connect_to_jobserver();
	if (strcmp(style, "ninja") == 0 || strcmp(style, "cargo") == 0)
		await_tokens(argv[3]);
	while (left > 0 || running > 0) {
		while (left > 0 && (running <= held || take())) {
			start(argv[3]);
			left--;
		}
		if (left > 0 || running > 0)
			wait_for(left > 0 && (strcmp(style, "make") == 0 || strcmp(style, "pipe") == 0));
		reap(left > 0);
	}
	while (held > 0)
		give_back();
	return 0;
}
