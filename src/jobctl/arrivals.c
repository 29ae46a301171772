#include <errno.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/status.h"
#include "batch.h"
#include "width.h"

enum { LOOK = 250 /* ms */ };

/* 1 when it has changed, and its places are known; what is wrong is told of, once. */
static int
look(struct batch *b, struct site_file *file)
{
	int got = sites_read_again(&b->sites, file);

	if (got < 0 && !b->arrivals.misread)
		complain(errno == EINVAL ? "--sshloginfile %s: not places such as 8/host; "
		    "the places of before stay" : "--sshloginfile %s:", file->path);
	if (got != 0)
		b->arrivals.misread = got < 0;
	return got > 0;
}

void
arrivals_follow(struct batch *b)
{
	long before = b->sites.slots;
	int changed = 0;

	if (b->sites.file_count == 0 || clock_wait_ms(b->arrivals.due) > 0)
		return;
	b->arrivals.due = clock_now() + LOOK;
	for (size_t i = 0; i < b->sites.file_count; i++)
		changed |= look(b, &b->sites.files[i]);
	if (changed && sites_deal(&b->sites, b->plan->jobs_each) != 0)
		complain("no slots for the new places:");
	b->crew.labels = b->sites.labels;
	if (changed && width_set(b, b->crew.count + b->sites.slots - before) != 0)
		batch_give_up(b, STATUS_TROUBLE); /* there is no seat for each new slot */
	arrivals_check(b);
}

void
arrivals_check(struct batch *b)
{
	int left = sites_left(&b->sites);

	if (left > 0)
		b->arrivals.waiting = 0;
	if (left > 0 || b->stopping != NOT)
		return;
	if (left == 0) {
		complain(REST_NONE "; once this works, run the list again%s: jobat %s true",
		    b->log.path != NULL ? " with --resume-failed" : "", b->sites.list[0].name);
		batch_give_up(b, STATUS_GONE);
	} else if (b->crew.running == 0 && !b->arrivals.waiting) {
		b->arrivals.waiting = 1;
		if (!b->plan->terms.quiet)
			complain("no place is left; waiting until %s lists one",
			    b->sites.files[0].path);
	}
}

long long
arrivals_wait_ms(const struct batch *b)
{
	return b->sites.file_count == 0 ? -1 : clock_wait_ms(b->arrivals.due);
}
