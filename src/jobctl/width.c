#include <errno.h>
#include <string.h>

#include "../lib/complain.h"
#include "../lib/orders.h"
#include "../lib/peek.h"
#include "../lib/processors.h"
#include "batch.h"
#include "width.h"

int
width_scan(const char *text, long *jobs)
{
	if (strcmp(text, "0") != 0)
		return processors_count(text, processors_usable(""), WIDTH_MOST, jobs);
	*jobs = WIDTH_MOST;
	return 0;
}

/* A FIFO that nobody writes is empty. */
int
width_read(const char *path, long *jobs)
{
	char text[64];
	ssize_t n = peek(path, text, sizeof text);

	if (n == 0)
		errno = EAGAIN;
	if (n <= 0)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	if (width_scan(text, jobs) == 0)
		return 0;
	errno = EINVAL;
	return -1;
}

/* There is no slot without a label where others have one. */
int
width_set(struct batch *b, long jobs)
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
		(void)width_set(b, b->crew.count + more);
}

/* A wrong file is told of once, and changes nothing; nor does a number that is not new. */
void
width_follow(struct batch *b)
{
	const char *path = b->plan->jobs_file;
	long jobs;

	if (path == NULL)
		return;
	if (width_read(path, &jobs) == 0) {
		if (jobs != b->wanted)
			(void)width_set(b, jobs);
		b->wanted = jobs;
		b->misread = 0;
	} else if (errno != EAGAIN && !b->misread) {
		complain(errno == EINVAL ? "--jobs %s: not a number of jobs; still %ld at once"
		    : "--jobs %s: still %ld jobs at once:", path, b->crew.count);
		b->misread = 1;
	}
}
