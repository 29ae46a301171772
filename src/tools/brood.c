#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "brood.h"

struct look {
	const struct brood *brood;
	struct family all;
};

/* Another child of ours, or what that has started: who lists processes, where that is ps(1). */
static int
is_ours(const struct look *look, const struct process *process)
{
	for (; process != NULL; process = family_find(&look->all, process->parent))
		if (process->pid == getpid() || process->parent == getpid())
			return process->pid != look->brood->command;
	return 0;
}

static int
is_also(void *context, const struct process *process)
{
	const struct look *look = context;

	return (process->group == look->brood->group || process->pid == look->brood->command) &&
	    !is_ours(look, process);
}

size_t
brood_signal(struct brood *b, int sig)
{
	struct look look = {.brood = b};

	if (b->command <= 0)
		return 0;
	if (family_read(&look.all) != 0) { /* nobody can tell of the others */
		free(look.all.list);
		return kill(b->command, sig) == 0;
	}
	family_forget_ended(&b->known, &look.all);
	family_spread(&b->known, &look.all, is_also, &look); /* or as far as memory goes */
	free(look.all.list);
	family_signal(&b->known, sig);
	return b->known.count;
}
