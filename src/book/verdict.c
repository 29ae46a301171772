#include <stdio.h>

#include "verdict.h"

/* Why a shell cannot run a command, by the letters of _jobctl_no_command in share/jobctl; 't': it
   could not tell how it ended. */
static const char *
reason(char why)
{
	switch (why) {
	case 'a': return "an alias, which no job has; write a function";
	case 'e': return "an empty word; is a variable empty?";
	case 'f': return "no such file";
	case 'n': return "no such command or function";
	case 'o': return "no such command; options belong to jobctl_open";
	case 's': return "shell syntax, not a command; put it in a function";
	case 't': return "exit status 127, or \"wait -n\" or \"command wait\" of the script "
	    "took it; write wait alone, or jobctl_wait";
	case 'v': return "no such command; write env in front of it";
	case 'w': return "no such command; pass each word by itself, or write a function";
	case 'x': return "cannot be executed";
	default: return NULL;
	}
}

void
verdict_text(char *text, size_t size, const struct verdict *verdict, const char *command)
{
	char how[128];

	if (reason(verdict->why) != NULL)
		snprintf(how, sizeof how, "%s", reason(verdict->why));
	else if (verdict->limit > 0)
		snprintf(how, sizeof how, "not done within %lld.%03lld s", verdict->limit / 1000,
		    verdict->limit % 1000);
	else if (verdict->signal != 0)
		snprintf(how, sizeof how, "killed by signal %d", verdict->signal);
	else
		snprintf(how, sizeof how, "exit status %d", verdict->status);
	snprintf(text, size, "job %ld: %s%s%s", verdict->id, how, command == NULL ? "" : ": ",
	    command == NULL ? "" : command);
}
