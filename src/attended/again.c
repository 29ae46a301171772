#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attended.h"

enum { GIVEN = 1, UNTOLD, NEVER };

enum {
	ROOM = 48,
	LOOK = 1000 /* ms */
};

static void
again_name(const struct job *job, char name[ROOM])
{
	snprintf(name, ROOM, "%ld.again", job->id);
}

/* The line for the shell that waits there: 0; or -1 with errno, ENXIO if none does yet. */
static int
again_answer(const struct jobs *jobs, const struct job *job, const char *line)
{
	char name[ROOM];
	ssize_t length = (ssize_t)strlen(line);
	int fd, error;

	again_name(job, name);
	if ((fd = fifo_open(jobs->leases.dir, name, O_WRONLY | O_NOFOLLOW)) < 0)
		return -1;
	error = write(fd, line, (size_t)length) == length ? 0 : errno;
	descriptors_close(&fd);
	errno = error;
	return error == 0 ? 0 : -1;
}

int
again_can(const struct jobs *jobs, const struct job *job)
{
	char name[ROOM];
	struct stat st;

	again_name(job, name);
	return fstatat(jobs->leases.dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISFIFO(st.st_mode);
}

static void
again_remove_name(const struct jobs *jobs, const struct job *job)
{
	char name[ROOM];

	again_name(job, name);
	unlinkat(jobs->leases.dir, name, 0);
}

void
again_give(const struct jobs *jobs, struct lease *lease)
{
	struct job *job = &lease->job;
	char line[ROOM];

	snprintf(line, sizeof line, "%s %ld\n", lease->name, job->tries);
	job->again = 0;
	job->given = GIVEN;
	if (again_answer(jobs, job, line) == 0)
		return;
	if (errno == ENXIO) {
		job->given = UNTOLD; /* it does not wait yet */
		return;
	}
	if (errno != ENOENT)
		complain("job %ld: cannot be tried again:", job->id);
	job->given = NEVER;
}

void
again_end(struct jobs *jobs, struct job *job)
{
	if (job->again || job->tries > 1) {
		again_answer(jobs, job, "\n"); /* else the shell sees that the name has gone */
		again_remove_name(jobs, job);
	}
	free(job->text);
	free(job->task);
	for (size_t i = 0; job->kept && i < jobs->leases.total; i++)
		if (jobs->leases.list[i].kept == job->id + 1)
			jobs->leases.list[i].kept = -1;
}

/* The shell has opened the lease, or it was killed before that. */
static void
look_at_shell(struct jobs *jobs, struct lease *lease)
{
	struct job *job = &lease->job;
	int over = job->given == NEVER || (job->shell != 0 && family_ended(job->shell));

	if (job->given == UNTOLD && !over)
		again_give(jobs, lease);
	if (starts_used(jobs, lease)) {
		job->given = 0;
	} else if (over) {
		lease->out = job->given = 0;
		job->known = 1; /* the status of the try before */
		again_remove_name(jobs, job);
		pace_unused(jobs->pace, &lease->turn);
		ends_take(jobs, lease);
	}
}

void
again_serve(struct jobs *jobs)
{
	struct want *want, *next, dead;

	if (jobs->wants.shells > 0 && clock_wait_ms(jobs->looks) == 0) {
		jobs->looks = clock_now() + LOOK;
		for (want = jobs->wants.later; want != NULL; want = next) {
			next = want->next;
			if (want->job.shell != 0 && family_ended(want->job.shell) &&
			    wants_cut(&jobs->wants, want->job.id, &dead)) /* while it waited */
				ends_give_up(jobs, &dead.job);
		}
	}
	for (size_t i = jobs->leases.total; i-- > 0;) {
		struct lease *lease = jobs->leases.list + i;

		if (lease->job.given)
			look_at_shell(jobs, lease);
		if (lease->kept >= 0)
			continue;
		if (i < jobs->leases.count)
			lease->kept = 0;
		else
			leases_drop(&jobs->leases, i);
	}
}

void
again_told(struct jobs *jobs, long id, pid_t shell)
{
	struct lease *lease = leases_of(&jobs->leases, id);

	for (struct want *want = jobs->wants.later; want != NULL; want = want->next)
		if (want->job.id == id)
			want->job.shell = shell;
	if (lease != NULL)
		lease->job.shell = shell;
}

static int
remove_again(void *context, const struct name *name)
{
	const struct jobs *jobs = context;

	if (name->kind == NAME_BATCH && strstr(name->text, ".again") != NULL)
		unlinkat(jobs->leases.dir, name->text, 0);
	return 0;
}

void
again_never(struct jobs *jobs)
{
	names_each(jobs->leases.dir, remove_again, jobs);
}
