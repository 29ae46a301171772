#include <limits.h>
#include <stdlib.h>

#include "enough.h"
#include "heap.h"
#include "logged.h"

static int
by_start(const void *left, const void *right)
{
	const struct job *const *a = left, *const *b = right;

	return job_order(*a, *b);
}

int
enough_open(struct enough *enough, const struct logged *jobs)
{
	const struct job **begun = malloc(jobs->count * sizeof *begun);

	enough->count = jobs->count;
	enough->time = malloc(jobs->count * sizeof *enough->time);
	if (begun == NULL || enough->time == NULL) {
		free(begun);
		return -1;
	}
	for (size_t i = 0; i < jobs->count; i++)
		begun[i] = jobs->job + i;
	qsort(begun, jobs->count, sizeof *begun, by_start);
	for (size_t i = 0; i < jobs->count; i++)
		enough->time[i] = begun[i]->end - begun[i]->start;
	free(begun);
	return 0;
}

void
enough_close(struct enough *enough)
{
	free(enough->time);
}

long long
enough_span(const struct enough *enough, size_t slots)
{
	struct heap busy = {0};
	long long from, end, last = 0;

	for (size_t i = 0; i < enough->count; i++) {
		from = i < slots ? 0 : heap_take(&busy).key;
		end = from > LLONG_MAX - enough->time[i] ? LLONG_MAX : from + enough->time[i];
		last = end > last ? end : last;
		if (heap_add(&busy, end, 0) != 0) {
			last = -1;
			break;
		}
	}
	heap_free(&busy);
	return last;
}

long long
enough_least(const struct enough *enough, double most)
{
	size_t low = 1, high = enough->count, middle;
	long long span;

	while (low < high) {
		middle = low + (high - low) / 2;
		if ((span = enough_span(enough, middle)) < 0)
			return -1;
		if ((double)span <= most)
			high = middle;
		else
			low = middle + 1;
	}
	return (long long)low;
}
