#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "brood.h"

/* Their pids may be others' now. */
static void
forget_dead(struct brood *b, const struct family *all)
{
	struct process *list = b->known.list;
	const struct process *now;
	size_t kept = 0;

	for (size_t i = 0; i < b->known.count; i++) {
		now = family_find(all, list[i].pid);
		if (now != NULL && now->start == list[i].start)
			list[kept++] = list[i];
	}
	b->known.count = kept;
}

/* Another child of ours, or what that has started: who lists processes, where that is ps(1). */
static int
is_ours(const struct brood *b, const struct family *all, const struct process *process)
{
	for (; process != NULL; process = family_find(all, process->parent))
		if (process->pid == getpid() || process->parent == getpid())
			return process->pid != b->command;
	return 0;
}

static int
belongs(const struct brood *b, const struct family *all, const struct process *process)
{
	return !is_ours(b, all, process) && family_find(&b->known, process->pid) == NULL &&
	    (process->group == b->group || process->pid == b->command ||
	    family_find(&b->known, process->parent) != NULL);
}

/* Parents need not come before their children in the list. */
static void
add_all(struct brood *b, const struct family *all)
{
	size_t before;

	do {
		before = b->known.count;
		for (size_t i = 0; i < all->count; i++)
			if (belongs(b, all, &all->list[i]) &&
			    family_add(&b->known, &all->list[i]) != 0)
				return;
	} while (b->known.count > before);
}

size_t
brood_signal(struct brood *b, int sig)
{
	struct family all = {0};

	if (b->command <= 0)
		return 0;
	if (family_read(&all) != 0) { /* nobody can tell of the others */
		free(all.list);
		return kill(b->command, sig) == 0;
	}
	forget_dead(b, &all);
	add_all(b, &all);
	free(all.list);
	for (size_t i = 0; i < b->known.count; i++) {
		kill(b->known.list[i].pid, sig);
		kill(b->known.list[i].pid, SIGCONT);
	}
	return b->known.count;
}
