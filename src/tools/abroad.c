#include <stdlib.h>
#include <string.h>

#include "../lib/command.h"
#include "../lib/complain.h"
#include "../lib/fifo.h"
#include "../lib/status.h"
#include "abroad.h"

const char *
abroad_split(const char *operand, char **host)
{
	const char *colon = fifo_colon(operand), *name = operand;
	size_t length;

	*host = NULL;
	if (colon == NULL)
		return operand;
	length = (size_t)(colon - name);
	if (*name == '[' && length > 1 && colon[-1] == ']') {
		name++;
		length -= 2;
	}
	if (length == 0 || *operand == '-' || colon[1] == '\0')
		fail(STATUS_TROUBLE, "%s: not HOST:FIFO; a file of that name is ./%s", operand,
		    operand);
	*host = need_memory(strdup(name));
	(*host)[length] = '\0';
	colon++;
	return strncmp(colon, "~/", 2) == 0 && colon[2] != '\0' ? colon + 2 : colon;
}

void
abroad_become(char **argv, const char *operand)
{
	char *host, **words, **arguments = argv + (argv[0] != NULL);
	const char *fifo = abroad_split(operand, &host);
	char *const ours[] = {"jobat", "--workdir", ".", "--", host, "sh", "-c", ABROAD_RUN,
	    (char *)program, host};
	enum { OURS = sizeof ours / sizeof *ours };
	size_t n = 0;

	if (host == NULL)
		return;
	if (*fifo == '-')
		fail(STATUS_TROUBLE, "%s: write %s:./%s", operand, host, fifo);
	while (arguments[n] != NULL)
		n++;
	words = need_memory(calloc(OURS + n + 2, sizeof *words));
	memcpy(words, ours, sizeof ours);
	memcpy(words + OURS, arguments, n * sizeof *words);
	words[OURS + n - (n > 0 && arguments[n - 1] == operand)] = (char *)fifo;
	command_exec(words);
}
