#include <stdio.h>

#include "verdict.h"

void
verdict_text(char *text, size_t size, const struct verdict *verdict, const char *command)
{
	char how[64];

	if (verdict->limit > 0)
		snprintf(how, sizeof how, "not done within %lld.%03lld s", verdict->limit / 1000,
		    verdict->limit % 1000);
	else if (verdict->signal != 0)
		snprintf(how, sizeof how, "killed by signal %d", verdict->signal);
	else
		snprintf(how, sizeof how, "exit status %d", verdict->status);
	snprintf(text, size, "job %ld: %s%s%s", verdict->id, how, command == NULL ? "" : ": ",
	    command == NULL ? "" : command);
}
