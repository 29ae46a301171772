#include <stdio.h>

#include "../lib/complain.h"
#include "verdict.h"

/* Why a shell cannot run a command, by the letters of _jobctl_no_command in share/jobctl; 't': it
   could not tell how it ended; 'c' and 'r': jobctl has ended it. */
static const char *
reason(char why)
{
	switch (why) {
	case 'a': return "an alias, which no job has; write a function";
	case 'c': return "ended, as it wanted to set the terminal";
	case 'e': return "an empty word; is a variable empty?";
	case 'f': return "no such file";
	case 'n': return "no such command or function";
	case 'o': return "no such command; options belong to jobctl_open";
	case 'r': return "ended, as it wanted to read the terminal";
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
verdict_say(const struct end *end, const char *command)
{
	char how[128];

	if (reason(end->why) != NULL)
		snprintf(how, sizeof how, "%s", reason(end->why));
	else if (end->limit > 0)
		snprintf(how, sizeof how, "not done within %lld.%03lld s", end->limit / 1000,
		    end->limit % 1000);
	else if (end->signal != 0)
		snprintf(how, sizeof how, "killed by signal %d", end->signal);
	else
		snprintf(how, sizeof how, "exit status %d", end->status);
	complain("job %ld: %s%s%s", end->id, how, command == NULL ? "" : ": ",
	    command == NULL ? "" : command);
}
