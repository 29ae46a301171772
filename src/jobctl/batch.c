#include <errno.h>
#include <stdarg.h>

#include "../lib/complain.h"
#include "../lib/status.h"
#include "batch.h"

void
batch_say(struct batch *b, const char *format, ...)
{
	va_list args;

	progress_clear(&b->progress);
	va_start(args, format);
	complain_list(format, args);
	va_end(args);
}

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
		for (struct seat *seat = b->crew.seats; seat < b->crew.seats + b->crew.count;
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
batch_flush(struct batch *b, int bad)
{
	if (!bad && outputs_flush(&b->outputs) == 0)
		return;
	if (errno != EPIPE || !b->plan->quiet)
		batch_say(b, "output:");
	batch_give_up(b, STATUS_TROUBLE);
}

void
batch_skip_output(struct batch *b, long id)
{
	if (b->plan->mode == OUTPUT_ORDER)
		progress_clear(&b->progress);
	batch_flush(b, output_skip(&b->outputs, id) != 0);
}

void
batch_count(struct batch *b, int failed)
{
	b->failed += failed;
	b->succeeded += !failed;
	if (halt_reached(&b->plan->halt, b->succeeded, b->failed))
		batch_stop(b, b->plan->halt.now ? NOW : SOON);
}
