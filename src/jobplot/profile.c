#include <stdlib.h>

#include "logged.h"
#include "profile.h"
#include "rows.h"

/* A job has part of the first and the last column. In those between it is one: change[] says where
   these begin and end, so that a long job costs no more than a short one. */
static void
enter(double *mean, double *change, double from, double to, size_t parts)
{
	size_t first = (size_t)from, last = (size_t)to;

	if (first >= parts)
		return;
	last = last < parts ? last : parts - 1;
	if (first == last) {
		mean[first] += to - from;
		return;
	}
	mean[first] += (double)first + 1 - from;
	mean[last] += to - (double)last;
	change[first + 1]++;
	change[last]--;
}

double *
profile_make(const struct logged *jobs, const struct rows *rows, size_t parts)
{
	double *mean = calloc(parts, sizeof *mean), *change = calloc(parts + 1, sizeof *change);
	double part = (double)rows->span / (double)parts, full = 0;

	if (mean == NULL || change == NULL) {
		free(mean);
		free(change);
		return NULL;
	}
	for (size_t i = 0; i < jobs->count; i++)
		enter(mean, change, (double)jobs->job[i].start / part,
		    (double)jobs->job[i].end / part, parts);
	for (size_t i = 0; i < parts; i++) {
		full += change[i];
		mean[i] += full;
	}
	free(change);
	return mean;
}
