#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"

#define SSH "ssh -T -o BatchMode=yes -o ConnectTimeout=10 -o ControlMaster=no"

char **
transport_words(const char *place, size_t before)
{
	const char *given = getenv("JOBCTL_RSH");
	char *text = strdup(given != NULL ? given : SSH), **words;
	size_t n = before;

	if (text == NULL)
		return NULL;
	words = calloc(strlen(text) / 2 + before + 4, sizeof *words);
	for (char *word = strtok(text, " \t\n"); words != NULL && word != NULL;
	    word = strtok(NULL, " \t\n"))
		words[n++] = word;
	if (words == NULL || n == before) {
		errno = words == NULL ? ENOMEM : EINVAL;
		free(words);
		free(text);
		return NULL;
	}
	words[n++] = (char *)place;
	words[n] = "sh";
	return words;
}

int
transport_start(char **words, pid_t *pid, int *in, int *out, int *err)
{
	int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, error = 0;
	sigset_t none;

	sigemptyset(&none);
	if (words == NULL || descriptors_pipe(pipes[0], 1) != 0 ||
	    descriptors_pipe(pipes[1], 0) != 0 ||
	    (err != NULL && descriptors_pipe(pipes[2], 0) != 0))
		error = errno;
	else
		error = child_spawn(pid, words, &(struct child_setup){.in = pipes[0][0],
		    .out = pipes[1][1], .err = pipes[2][1], .leads = 1, .mask = &none,
		    .defaults = (const int[]){SIGPIPE, SIGXFSZ, SIGTERM, 0}});
	descriptors_close(&pipes[0][0]);
	descriptors_close(&pipes[1][1]);
	descriptors_close(&pipes[2][1]);
	*in = pipes[0][1];
	*out = pipes[1][0];
	if (err != NULL)
		*err = pipes[2][0];
	return error;
}
