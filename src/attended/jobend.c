/*
 * jobend -- runs the program of a job, and says in its lease, descriptor 9, how it ended: the
 * job's last word (tokend(5)). It stays beside the program in place of a shell, whose fork
 * costs several times as much, and holds the lease even if the program closes all descriptors. If a
 * signal ends it, the job has no last word, as with a shell.
 *
 * With -n, -s, -u and -w it runs nothing, but helps a shell.
 */
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attended.h"

#define USAGE \
	"usage: jobend command [arg...]\n" \
	"       jobend -n increment | -s FILE,FILE | -u | -w FILE"

enum {
	LEASE = 9,
	WHILE = 300,  /* ms until a pipe counts as read */
	LOOK = 1000,  /* ms between two looks whether somebody is left to write to us */
	MOMENT = 10,  /* ms */
	LONGEST = 900 /* bytes of a command to show: quoted, they fit into PIPE_BUF */
};

static const struct option table[] = {
	{'n', "nice", "N", "add N to the nice value of the shell that runs this"},
	{'s', "same", "FILE,FILE", "see whether standard output and error are these files"},
	{'u', "unread", NULL, "tell if standard input, a pipe, holds something unread"},
	{'w', "wait", "FILE", "wait for a line in FIFO.d/ID.again, and print it"},
	OPTIONS_END
};

/* The status of the command, as a shell's $?. */
static int
run_program(char **argv)
{
	struct child_setup setup = {.in = -1, .out = -1, .err = -1};
	int error;
	pid_t pid;

	if ((error = child_spawn(&pid, argv, &setup)) != 0) {
		errno = error;
		complain("%s:", argv[0]);
		return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
	}
	return child_outcome(pid);
}

/* The last word, with the command if it failed. Lost if the lease is closed. */
static void
say_last_word(int status, char **argv)
{
	struct outbox word = {0};
	size_t most;

	outbox_say(&word, "=%d", status);
	for (char **arg = argv; status != 0 && *arg != NULL; arg++) {
		most = outbox_waits(&word) + strlen(*arg);
		if (arg > argv && most > LONGEST) {
			outbox_add(&word, " ...", 4);
			break;
		}
		outbox_add(&word, " ", 1);
		quote_word(&word, *arg, most > LONGEST ? LONGEST : strlen(*arg));
	}
	outbox_add(&word, "\n", 1);
	if (!word.lost)
		outbox_write(&word, LEASE, OUTBOX_PIPE);
	outbox_drop(&word);
}

/* Not by renice(1), which on some systems adds the number, and on others sets it. */
static int
be_nice(const struct options *options)
{
	pid_t parent = getppid();
	long increment = number_nice(options);
	int now;

	errno = 0; /* -1 is a nice value, too */
	now = getpriority(PRIO_PROCESS, (id_t)parent);
	if (errno == 0 && setpriority(PRIO_PROCESS, (id_t)parent,
	    now + (int)increment) == 0)
		return STATUS_DONE;
	complain("-n %s:", options->argument);
	return STATUS_TROUBLE;
}

/* 0: the descriptor is its own file; 2: it is the other one; 1: neither. */
static int
which(int fd, const char *own, const char *other)
{
	char now[DESCRIPTORS_TELL];

	descriptors_tell(fd, now);
	return strcmp(now, own) == 0 ? 0 : strcmp(now, other) == 0 ? 2 : 1;
}

/* which() of standard output, and three times that of standard error. */
static int
compare(const char *names)
{
	char out[DESCRIPTORS_TELL];
	const char *comma = strchr(names, ',');

	snprintf(out, sizeof out, "%.*s", (int)strcspn(names, ","), names);
	names = comma == NULL ? "" : comma + 1;
	return which(STDOUT_FILENO, out, names) + 3 * which(STDERR_FILENO, names, out);
}

/* Prints the line. path is P.d/ID.again, and P the inlet of tokend, which removes the name when the
   job is over. POLLHUP is no end: tokend opens the other end only when it has something to say. */
static int
await_line(const char *path)
{
	pid_t parent = getppid();
	char inlet[PATH_MAX], line[64];
	const char *slash = strrchr(path, '/');
	int fd = fifo_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW), tokend, over = fd < 0;
	ssize_t length = 0;
	struct stat st;

	if (slash == NULL || slash - path < 3 || slash - path >= PATH_MAX)
		return STATUS_GONE;
	snprintf(inlet, sizeof inlet, "%.*s", (int)(slash - path) - 2, path);
	while (!over && length <= 0) {
		tokend = fifo_open(AT_FDCWD, inlet, O_WRONLY);
		over = tokend < 0 || getppid() != parent || fstat(fd, &st) != 0 || st.st_nlink == 0;
		descriptors_close(&tokend);
		if (descriptors_poll(fd, POLLIN, over ? 0 : LOOK) & POLLIN)
			length = read(fd, line, sizeof line);
		else if (!over)
			descriptors_poll(-1, 0, MOMENT);
	}
	return length > 0 && descriptors_write(STDOUT_FILENO, line, (size_t)length) == 0
	    ? STATUS_DONE : STATUS_GONE;
}

int
main(int argc, char **argv)
{
	struct options options;
	int status, code;
	char byte;

	(void)argc;
	program = "jobend";
	signal(SIGCHLD, SIG_DFL); /* ignored, it would leave nothing to wait for */
	options_open(&options, USAGE, table, argv);
	code = options_next(&options);
	if (code == -1 && options.argv[0] == NULL)
		options_misused(&options, "needs a command");
	if (code != -1 && options.argv[0] != NULL)
		options_misused(&options, "these options take no command");
	switch (code) {
	case 'n': return be_nice(&options);
	case 's': return compare(options.argument);
	case 'u': /* at its end a pipe has no POLLIN; but a socket has, which ksh93 has for pipes */
		return !(descriptors_poll(STDIN_FILENO, POLLIN, WHILE) & POLLIN &&
		    recv(STDIN_FILENO, &byte, 1, MSG_PEEK) != 0);
	case 'w': return await_line(options.argument);
	}
	status = run_program(options.argv);
	signal(SIGPIPE, SIG_IGN);
	say_last_word(status, options.argv);
	return status;
}
