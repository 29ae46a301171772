#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobat.h"

/* sshd drops some of more than ten logins that are not finished (MaxStartups). */
enum { AT_ONCE = 8, MORE = 16 /* words that we add */ };

/* Waits for a lock on that byte of the file, which ends with this process, or when it executes
   another program. */
static void
lock_byte(const char *path, const char *suffix, off_t byte)
{
	char name[PATH_MAX];
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
	int fd;

	snprintf(name, sizeof name, "%s%s", path, suffix);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		fail(STATUS_TROUBLE, "%s:", name);
	while (fcntl(fd, F_SETLKW, &lock) != 0)
		if (errno != EINTR)
			fail(STATUS_TROUBLE, "%s: lock:", name);
}

/* The words of ssh, ours, and the last one of words, which is the place. */
static char **
compose_login(char **words, char *const *ours, char *last)
{
	char **argv;
	size_t n = 0, all = 0;

	while (words[n] != NULL)
		n++;
	argv = need_memory(calloc(n + MORE, sizeof *argv));
	for (; all < n - 1; all++)
		argv[all] = words[all];
	while (*ours != NULL)
		argv[all++] = *ours++;
	argv[all++] = words[n - 1];
	argv[all] = last;
	return argv;
}

/* Messages of ssh go into a file, for the master, which stays, may keep its standard error. It ends
   when nobody answers, for else each later session would wait for what is dead. */
static int
open_master(char *path, char **words)
{
	char *ours[] = {"-f", "-N", "-M", "-S", path, "-o", "ControlPersist=5",
	    "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", NULL};
	char name[PATH_MAX], text[4096], **argv = compose_login(words, ours, NULL);
	int log, null = open("/dev/null", O_RDWR | O_CLOEXEC), status, error;
	ssize_t n;
	pid_t pid;

	snprintf(name, sizeof name, "%s.log", path);
	log = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (log < 0 || null < 0)
		fail(STATUS_TROUBLE, "%s:", name);
	if ((error = child_spawn(&pid, argv, &(struct child_setup){.in = null, .out = null,
	    .err = log})) != 0) {
		errno = error;
		complain("%s:", argv[0]);
		return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
	}
	if ((status = child_outcome(pid)) != 0 && lseek(log, 0, SEEK_SET) == 0)
		while ((n = read(log, text, sizeof text)) > 0 &&
		    descriptors_write(STDERR_FILENO, text, (size_t)n) == 0)
			;
	return status;
}

int
login_run(const char *path, char **words)
{
	char *ours[] = {"-S", (char *)path, "-o", "ControlMaster=no", NULL};
	char directory[PATH_MAX];
	unsigned long sum = 0;
	int status, there;

	lock_byte(path, ".lock", 0);
	if ((there = local_connect(path)) < 0) {
		if (errno == ECONNREFUSED)
			unlink(path); /* of one that was killed */
		snprintf(directory, sizeof directory, "%.*s",
		    (int)(strrchr(path, '/') - path), path);
		for (const char *p = path; *p != '\0'; p++)
			sum = sum * 31 + (unsigned char)*p;
		lock_byte(directory, "/logins", (off_t)(sum % AT_ONCE));
		if ((status = open_master((char *)path, words)) != 0)
			return status;
	}
	descriptors_close(&there);
	return command_exec(compose_login(words, ours, "sh"));
}
