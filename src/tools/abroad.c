#include <stdlib.h>
#include <string.h>

#include "../lib/command.h"
#include "../lib/complain.h"
#include "../lib/status.h"
#include "abroad.h"

const char *
abroad_split(const char *operand, char **host)
{
	size_t n = strcspn(operand, "/:");

	*host = NULL;
	if (operand[n] != ':')
		return operand;
	if (n == 0 || *operand == '-' || operand[n + 1] == '\0')
		fail(STATUS_TROUBLE, "%s: not HOST:FIFO; a file of that name is ./%s", operand,
		    operand);
	if ((*host = strdup(operand)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	(*host)[n] = '\0';
	return operand + n + 1;
}

void
abroad_become(char **argv, const char *operand)
{
	static char *const ours[] = {"jobat", "--workdir", ".", "--"};
	enum { OURS = sizeof ours / sizeof *ours };
	size_t n = 0;
	char *host, **words;
	const char *fifo = abroad_split(operand, &host);

	if (host == NULL)
		return;
	while (argv[n] != NULL)
		n++;
	if ((words = calloc(OURS + n + 3, sizeof *words)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	memcpy(words, ours, sizeof ours);
	words[OURS] = host;
	memcpy(words + OURS + 1, argv, n * sizeof *words);
	words[OURS + 1] = (char *)program;
	words[OURS + 1 + n - (n > 1 && argv[n - 1] == operand)] = (char *)fifo;
	command_exec(words);
}
