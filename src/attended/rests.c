#include <stdlib.h>
#include <string.h>

#include "../lib/complain.h"
#include "../lib/rest.h"
#include "../lib/status.h"
#include "jobs.h"
#include "rests.h"
#include "stops.h"

const char *
rests_label(const struct jobs *jobs, const struct lease *lease)
{
	return lease->slot > jobs->books.labelled ? "?" : jobs->books.labels[lease->slot - 1];
}

/* That of the first slot of the place, or NULL. */
static struct rest *
rest_of(const struct jobs *jobs, const struct lease *lease)
{
	const char *label = rests_label(jobs, lease);
	long first = 0;

	if (jobs->rests == NULL || lease->slot > jobs->books.labelled)
		return NULL;
	while (strcmp(jobs->books.labels[first], label) != 0)
		first++;
	return jobs->rests + first;
}

/* 1 while some place is not dropped. */
static int
is_left(const struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->leases.count; i++)
		if (rests_wait_ms(jobs, jobs->leases.list + i) >= 0)
			return 1;
	return 0;
}

void
rests_begin(struct jobs *jobs, const struct lease *lease, const char *why)
{
	struct rest *rest;

	if (jobs->rests == NULL &&
	    (jobs->rests = calloc((size_t)jobs->books.labelled + 1, sizeof *rest)) == NULL) {
		stops_no_memory(jobs);
		return;
	}
	if ((rest = rest_of(jobs, lease)) == NULL ||
	    !rest_failed(rest, rests_label(jobs, lease), why, jobs->books.terms.quiet) ||
	    is_left(jobs))
		return;
	complain(REST_NONE);
	stops_now(jobs, STATUS_GONE, "withdrawn");
}

void
rests_end(struct jobs *jobs, const struct lease *lease)
{
	struct rest *rest = rest_of(jobs, lease);

	if (rest != NULL)
		rest_worked(rest);
}

long long
rests_wait_ms(const struct jobs *jobs, const struct lease *lease)
{
	const struct rest *rest = rest_of(jobs, lease);

	return rest == NULL ? 0 : rest_wait_ms(rest);
}
