#include <errno.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/orders.h"
#include "../lib/status.h"
#include "batch.h"

/* So many jobs run at once from now on: 0, or -1 after a message. There is no slot without a label
   where others have one. */
static int
set_width(struct batch *b, long jobs)
{
	long most = b->crew.labels == NULL ? WIDTH_MOST : sites_there(&b->sites) ? b->sites.slots
	    : b->plan->labelled;

	jobs = jobs < 1 ? 1 : jobs;
	jobs = jobs > most ? most : jobs; /* 0 while there is no place */
	if (jobs == b->crew.count)
		return 0;
	if (crew_resize(&b->crew, jobs) != 0) {
		complain("cannot run %ld jobs at once:", jobs);
		return -1;
	}
	outputs_bound(&b->outputs, jobs, &b->crew.mask);
	return 0;
}

void
width_obey(struct batch *b)
{
	long more = orders_more;

	orders_more = 0;
	if (more != 0)
		(void)set_width(b, b->crew.count + more);
}
