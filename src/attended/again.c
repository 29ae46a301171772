#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/fifo.h"
#include "../lib/news.h"
#include "again.h"
#include "ends.h"
#include "jobs.h"
#include "starts.h"

enum { ROOM = 48 };

/* Once the name is gone, the shell does not wait any more: jobend -w. */
static void
remove_name(const struct jobs *jobs, const struct job *job)
{
	char name[ROOM];

	snprintf(name, sizeof name, "%ld.again", job->id);
	unlinkat(jobs->leases.dir, name, 0);
}

void
again_close(struct jobs *jobs, struct job *job)
{
	if (job->again > 0)
		news_drop(jobs->leases.news, &job->again);
	job->again = 0;
}

void
again_open(struct jobs *jobs, struct job *job)
{
	char name[ROOM];
	int fd;

	snprintf(name, sizeof name, "%ld.again", job->id);
	fd = fifo_open(jobs->leases.dir, name, O_WRONLY | O_NOFOLLOW);
	if (fd >= 0 && news_add(jobs->leases.news, fd, POLLERR) == 0) {
		job->again = fd;
		return;
	}
	if (fd >= 0 || (errno != ENOENT && errno != ENXIO))
		complain("job %ld: cannot be tried again:", job->id);
	descriptors_close(&fd);
	remove_name(jobs, job);
}

void
again_give(struct jobs *jobs, struct job *job, const char *lease)
{
	char line[ROOM];
	int length = snprintf(line, sizeof line, "%s %ld\n", lease, job->tries);

	if (write(job->again, line, (size_t)length) != length)
		remove_name(jobs, job);
}

void
again_end(struct jobs *jobs, struct job *job)
{
	if ((job->again > 0 && write(job->again, "\n", 1) >= 0) || job->tries > 1)
		remove_name(jobs, job);
	again_close(jobs, job);
	free(job->text);
	free(job->task);
	for (size_t i = 0; job->kept && i < jobs->leases.total; i++)
		if (jobs->leases.list[i].kept == job->id + 1) {
			jobs->leases.list[i].kept = -1;
			jobs->over = 1;
		}
}

/* The shell has opened the lease, or was killed before that. */
static void
look(struct jobs *jobs, struct lease *lease)
{
	again_close(jobs, &lease->job);
	if (starts_used(jobs, lease))
		return;
	lease->out = 0;
	lease->job.known = 1; /* the status of the try before */
	pace_unused(jobs->pace, &lease->turn);
	ends_take(jobs, lease);
}

int
again_event(struct jobs *jobs, int fd)
{
	struct want want;

	if (wants_cut(&jobs->wants, fd, -1, &want)) {
		ends_give_up(jobs, &want.job);
		return 1;
	}
	for (size_t i = 0; i < jobs->leases.total; i++)
		if (jobs->leases.list[i].job.again == fd) {
			look(jobs, jobs->leases.list + i);
			return 1;
		}
	return 0;
}

void
again_serve(struct jobs *jobs)
{
	for (size_t i = jobs->over ? jobs->leases.total : 0; i-- > 0;) {
		if (jobs->leases.list[i].kept >= 0)
			continue;
		if (i < jobs->leases.count)
			jobs->leases.list[i].kept = 0;
		else
			leases_drop(&jobs->leases, i);
	}
	jobs->over = 0;
}
