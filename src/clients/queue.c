#include <stdlib.h>

#include "queue.h"

int
queue_add(struct queue *queue, const struct request *request)
{
	struct request *copy = malloc(sizeof *copy);
	int p = request->priority;

	if (copy == NULL)
		return -1;
	*copy = *request;
	copy->next = NULL;
	if (queue->first[p] == NULL)
		queue->first[p] = copy;
	else
		queue->last[p]->next = copy;
	queue->last[p] = copy;
	queue->count++;
	return 0;
}

/* The priority to be served next, or -1: the highest, unless a lower one has
   been patient for long enough. */
static int
choose(const struct queue *queue)
{
	int p, chosen = -1;

	for (p = PRIORITIES - 1; p >= 0; p--) {
		if (queue->first[p] == NULL)
			continue;
		if (chosen < 0 || (queue->passed[p] >= PATIENCE && queue->passed[p] > queue->passed[chosen]))
			chosen = p;
	}
	return chosen;
}

struct request *
queue_first(const struct queue *queue)
{
	int p = choose(queue);

	return p < 0 ? NULL : queue->first[p];
}

static void
remove_first(struct queue *queue, int p)
{
	struct request *gone = queue->first[p];

	queue->first[p] = gone->next;
	queue->passed[p] = 0;
	queue->count--;
	free(gone);
}

void
queue_take(struct queue *queue, int served)
{
	int p, chosen = choose(queue);

	if (chosen < 0)
		return;
	remove_first(queue, chosen);
	for (p = 0; served && p < chosen; p++)
		if (queue->first[p] != NULL)
			queue->passed[p]++;
}

void
queue_each(const struct queue *queue, void (*call)(void *, const struct request *), void *context)
{
	const struct request *request;
	int p;

	for (p = PRIORITIES - 1; p >= 0; p--)
		for (request = queue->first[p]; request != NULL; request = request->next)
			call(context, request);
}

void
queue_drop(struct queue *queue, int (*call)(void *, const struct request *), void *context)
{
	struct request **at, *request, *last;
	int p;

	for (p = 0; p < PRIORITIES; p++) {
		last = NULL;
		for (at = &queue->first[p]; (request = *at) != NULL;) {
			if (call(context, request)) {
				*at = request->next;
				queue->count--;
				free(request);
			} else {
				last = request;
				at = &request->next;
			}
		}
		queue->last[p] = last;
	}
}

void
queue_clear(struct queue *queue)
{
	int p;

	for (p = 0; p < PRIORITIES; p++)
		while (queue->first[p] != NULL)
			remove_first(queue, p);
}
