#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../lib/complain.h"
#include "../lib/orders.h"
#include "../lib/status.h"
#include "batch.h"

void
batch_put_later(struct batch *b, struct job *job, long long due)
{
	struct job **at = &b->later;

	job->due = due;
	while (*at != NULL && (*at)->due <= due)
		at = &(*at)->next;
	job->next = *at;
	*at = job;
}

void
batch_stop(struct batch *b, enum stopping how)
{
	if (how == NOW && b->stopping != NOW)
		for (struct seat *seat = b->crew.seats; seat < b->crew.seats + b->crew.room;
		    seat++)
			if (seat->child.pid != 0)
				crew_end(&b->crew, seat);
	if (how > b->stopping)
		b->stopping = how;
}

void
batch_give_up(struct batch *b, int status)
{
	if (b->status == 0)
		b->status = status;
	batch_stop(b, status == STATUS_TROUBLE ? NOW : SOON);
}

void
batch_lose_reader(struct batch *b)
{
	if (b->filter)
		orders_end = SIGPIPE;
	else if (b->stopping != NOW && !b->plan->terms.quiet)
		complain("output: nobody reads it any more");
	batch_give_up(b, STATUS_TROUBLE);
}

int
batch_tag(struct batch *b, const struct job *job, long slot, char **tag)
{
	const struct terms *terms = &b->plan->terms;

	*tag = !terms->tag ? NULL : recipe_fill(&b->recipe, terms->tag_text, &job->given, job->id,
	    slot);
	return terms->tag && *tag == NULL ? -1 : 0;
}

void
batch_fail_output(struct batch *b)
{
	if (errno == EPIPE) {
		batch_lose_reader(b);
		return;
	}
	if (!b->unshown)
		complain("output:");
	b->unshown = 1;
	batch_give_up(b, STATUS_TROUBLE);
}

void
batch_flush(struct batch *b)
{
	if (outputs_flush(&b->outputs) != 0)
		batch_fail_output(b);
	if (b->log.failed)
		batch_give_up(b, STATUS_TROUBLE);
}

void
batch_skip_output(struct batch *b, long id)
{
	output_skip(&b->outputs, id);
	batch_flush(b);
}

void
batch_count(struct batch *b, int failed)
{
	b->failed += failed;
	b->succeeded += !failed;
	if (halt_reached(&b->plan->terms.halt, b->succeeded, b->failed))
		batch_stop(b, b->plan->terms.halt.now ? NOW : SOON);
}
