#include <stddef.h>

#include "../lib/clock.h"
#include "crew.h"
#include "later.h"

void
later_put(struct job **list, struct job *job, long long due)
{
	job->due = due;
	while (*list != NULL && (*list)->due <= due)
		list = &(*list)->next;
	job->next = *list;
	*list = job;
}

struct job *
later_take(struct job **list)
{
	struct job *job = *list;

	if (job == NULL || job->due > clock_now())
		return NULL;
	*list = job->next;
	return job;
}
