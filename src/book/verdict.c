#include <limits.h>
#include <stdio.h>

#include "book.h"

/* Why a shell cannot run a command, by the letters of _jobctl_no_command in share/jobctl; 't': it
   could not tell how it ended; 'c' and 'r': jobctl has ended it. */
static const char *const reasons[UCHAR_MAX + 1] = {
	['a'] = "an alias, which no job has; write a function",
	['c'] = "ended, as it wanted to set the terminal",
	['e'] = "an empty word; is a variable empty?",
	['f'] = "no such file",
	['n'] = "no such command or function",
	['o'] = "no such command; options belong to jobctl_open",
	['r'] = "ended, as it wanted to read the terminal",
	['s'] = "shell syntax, not a command; put it in a function",
	['t'] = "exit status 127, or \"wait -n\" or \"command wait\" of the script "
	    "took it; write wait alone, or jobctl_wait",
	['v'] = "no such command; write env in front of it",
	['w'] = "no such command; pass each word by itself, or write a function",
	['x'] = "cannot be executed",
};

void
verdict_say(const struct end *end, const char *command)
{
	const char *reason = reasons[(unsigned char)end->why];
	char how[128];

	if (reason != NULL)
		snprintf(how, sizeof how, "%s", reason);
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
