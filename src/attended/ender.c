#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "attended.h"

enum { DIGITS = 24, WORD = DIGITS + LEASE_NAME, WORDS = 9 };

/* A tokstop that runs. It has the write end of a pipe, so its end is news. */
struct ending {
	struct ending *next;
	pid_t pid;
	int fd;
};

/* The words of tokstop in one block, which the caller frees; NULL: no memory. Without a known
   script, tokstop could not tell the holder of the lease from the next job there. */
static char **
words_of_tokstop(const struct ender *ender, const struct doomed *jobs, size_t count)
{
	char **argv = malloc((count + WORDS + 1) * sizeof *argv + (count + 1) * WORD);
	char *text = (char *)(argv + count + WORDS + 1), **word = argv;

	if (argv == NULL)
		return NULL;
	*word++ = "tokstop";
	*word++ = "-p";
	*word++ = "-g";
	*word++ = (char *)ender->grace;
	*word++ = "-d";
	*word++ = (char *)ender->path;
	if (ender->script > 0) {
		*word++ = "-s";
		snprintf(*word++ = text, WORD, "%ld", (long)ender->script);
	}
	*word++ = "--";
	for (size_t i = 0; i < count; i++) {
		int of_lease = ender->script > 0 && jobs[i].lease != NULL;

		snprintf(*word++ = text += WORD, WORD, "%ld%s%s", (long)jobs[i].pid,
		    of_lease ? "/" : "", of_lease ? jobs[i].lease : "");
	}
	*word = NULL;
	return argv;
}

int
ender_begin(struct ender *ender, const struct doomed *jobs, size_t count)
{
	struct ending *ending = malloc(sizeof *ending);
	char **argv = words_of_tokstop(ender, jobs, count);
	int ends[2] = {-1, -1}, error;

	if (ending == NULL || argv == NULL)
		error = ENOMEM;
	else if (descriptors_pipe(ends, 0) != 0 || news_add(ender->news, ends[0], POLLIN) != 0)
		error = errno;
	else
		error = child_spawn(&ending->pid, argv, &(struct child_setup){.in = -1,
		    .out = ends[1], .err = -1});
	free(argv);
	descriptors_close(&ends[1]);
	if (error != 0) {
		news_drop(ender->news, &ends[0]);
		free(ending);
		errno = error;
		return -1;
	}
	ending->fd = ends[0];
	ending->next = ender->list;
	ender->list = ending;
	return 0;
}

int
ender_event(struct ender *ender, int fd)
{
	struct ending **at = &ender->list, *ending;

	while (*at != NULL && (*at)->fd != fd)
		at = &(*at)->next;
	if ((ending = *at) == NULL)
		return 0;
	news_drop(ender->news, &ending->fd);
	while (waitpid(ending->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*at = ending->next;
	free(ending);
	return 1;
}

int
ender_busy(const struct ender *ender)
{
	return ender->list != NULL;
}
