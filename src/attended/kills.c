#include <stdlib.h>
#include <string.h>

#include "attended.h"

enum { HOME = 1000 }; /* ms for the leases of killed jobs to close */

/* name: from a shell that does not know which job that is; it may be an earlier one. A job may have
   to end before its pid is told. */
void
kills_know(struct jobs *jobs, long id, const char *name, long pid)
{
	size_t i = name == NULL ? 0 : leases_named(&jobs->leases, name);
	struct lease *lease = name == NULL ? leases_of(&jobs->leases, id)
	    : i < jobs->leases.total ? jobs->leases.list + i : NULL;
	struct job *job = lease == NULL ? NULL : &lease->job;

	if (job == NULL || !job->granted || (name != NULL && job->pid != 0))
		return;
	if (job->pid != pid)
		job->ended = 0; /* what was ended was another process of it */
	job->pid = (pid_t)pid;
	if (jobs->killing || job->late)
		kills_begin(jobs, jobs->killing);
}

/* A job that has had its last word may have left a process in the background with the lease; but
   the shell of many tries says that of one that was killed, too. */
void
kills_begin(struct jobs *jobs, int all)
{
	struct doomed *list = malloc((jobs->leases.total + 1) * sizeof *list);
	size_t count = 0;

	jobs->killing |= all;
	for (size_t i = 0; list != NULL && i < jobs->leases.total; i++) {
		struct lease *lease = jobs->leases.list + i;
		struct job *job = &lease->job;

		if (!job->granted || job->pid == 0 || job->ended ||
		    (!all && !job->late))
			continue;
		job->ended = 1;
		list[count++] = (struct doomed){job->pid, job->known && job->status <= 128
		    ? NULL : lease->name};
	}
	if (count > 0)
		jobs->home = 0;
	if (list == NULL || (count > 0 && ender_begin(&jobs->ender, list, count) != 0))
		complain("the jobs cannot be ended: tokstop:");
	free(list);
	if (all && !ender_busy(&jobs->ender))
		kills_done(jobs);
}

void
kills_done(struct jobs *jobs)
{
	if (!ender_busy(&jobs->ender))
		jobs->home = clock_now() + HOME;
}

/* A process that left the family of an ended job lives on with the lease, and is not waited for.
   A job that the shell may still start is ended once its pid is told. */
void
kills_give_up(struct jobs *jobs)
{
	jobs->home = 0;
	for (size_t i = 0; i < jobs->leases.total; i++) {
		struct lease *lease = jobs->leases.list + i;
		const struct job *job = &lease->job;

		if (job->granted && (job->ended || jobs->killing) &&
		    !(job->pushed && !starts_used(jobs, lease)))
			ends_take(jobs, lease);
	}
}
