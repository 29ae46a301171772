#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "transport.h"

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
