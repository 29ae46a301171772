#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients.h"

enum {
	REST = 200,     /* ms without use */
	INHERITED = 100 /* descriptors below are looked at */
};

void
first_begin(struct first *first, const char *parent)
{
	first->parent = parent;
	first->input = first->line = -1;
}

/* Starts the child. If that fails, the next turn tries again. */
static void
ask_parent(struct first *first, struct news *news, int now)
{
	char *argv[] = {"tokget", now ? "-xn" : "-x", "-j", "fifo", "--", (char *)first->parent,
	    "sh", "-c", "echo \"$MAKEFLAGS\"; exec cat", NULL};
	int in[2] = {-1, -1}, out[2] = {-1, -1}, error = -1;

	if (descriptors_pipe(in, -1) == 0 && descriptors_pipe(out, 0) == 0)
		error = child_spawn(&first->child, argv, &(struct child_setup){.in = in[0],
		    .out = out[1], .err = -1});
	descriptors_close(&in[0]);
	descriptors_close(&out[1]);
	first->input = in[1];
	first->line = out[0];
	first->used = 0;
	if (error == 0 && news_add(news, out[0], POLLIN) == 0)
		return;
	complain("-u %s: tokget:", first->parent);
	first_close(first);
	descriptors_close(&first->input);
	descriptors_close(&first->line);
}

int
first_has(struct first *first, struct news *news, int now)
{
	if (first->parent == NULL || !first->lost)
		return 1;
	if (first->child == 0 && !first->busy && !first->gone)
		ask_parent(first, news, now);
	return 0;
}

/* We have opened none of the write ends that an exec would keep: they are of its lease, and of
   loans. */
static void
give_back_first(struct first *first)
{
	struct stat st;

	jobserver_close();
	first->lost = 1;
	for (int fd = STDERR_FILENO + 1; fd < INHERITED; fd++)
		if (fcntl(fd, F_GETFD) == 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) &&
		    (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
			close(fd);
	descriptors_close(&first->input);
}

/* The child has ended: it was told to, or its tokget got no token. */
static void
end_asker(struct first *first, struct news *news)
{
	int told = first->input < 0, status;

	descriptors_close(&first->input); /* it ends, whatever it waits for */
	status = child_outcome(first->child);
	first->busy = !told && first->lost && status == STATUS_NO_TOKEN;
	first->gone = !told && first->lost && !first->busy;
	if (!first->lost)
		give_back_first(first);
	first->child = 0;
	news_drop(news, &first->line);
}

int
first_event(struct first *first, struct news *news, int fd)
{
	const char *why;
	char *end;
	ssize_t n;

	if (first->parent == NULL || fd != first->line)
		return 0;
	n = read(fd, first->text + first->used, sizeof first->text - 1 - first->used);
	if (n <= 0) {
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			end_asker(first, news);
		return 1;
	}
	first->used += (size_t)n;
	first->text[first->used] = '\0';
	if ((end = strchr(first->text, '\n')) == NULL || !first->lost)
		return 1;
	*end = '\0';
	first->unused = 0;
	first->lost = setenv("MAKEFLAGS", first->text, 1) != 0 || jobserver_open(1, &why) != 0;
	if (first->lost) {
		complain("-u %s: %s", first->parent, "its tokend has no jobserver any more");
		first->gone = 1;
	}
	return 1;
}

void
first_rest(struct first *first, int needed)
{
	long long now = clock_now();

	if (first->parent == NULL || first->lost)
		return;
	if (needed)
		first->unused = 0;
	else if (first->unused == 0)
		first->unused = now;
	else if (now - first->unused >= REST)
		give_back_first(first);
}

long long
first_wait_ms(const struct first *first)
{
	return first->parent == NULL || first->lost || first->unused == 0 ? -1
	    : clock_wait_ms(first->unused + REST);
}

void
first_close(struct first *first)
{
	if (first->parent == NULL || first->child == 0)
		return;
	kill(first->child, SIGTERM);
	descriptors_close(&first->input);
	child_outcome(first->child);
	first->child = 0;
}
