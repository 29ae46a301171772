#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/outbox.h"
#include "requests.h"

enum { NUMBER_ROOM = 24 };

struct request *
request_make(long number, const char *line, size_t length, int numbered)
{
	char prefix[NUMBER_ROOM] = "";
	int n = numbered ? snprintf(prefix, sizeof prefix, "%ld ", number) : 0;
	struct request *request = malloc(sizeof *request + (size_t)n + length + 1);

	if (request == NULL)
		return NULL;
	*request = (struct request){.number = number, .length = (size_t)n + length + 1};
	memcpy(request->text, prefix, (size_t)n);
	memcpy(request->text + n, line, length);
	request->text[(size_t)n + length] = '\n';
	return request;
}

void
queue_put(struct queue *queue, struct request *request)
{
	request->next = NULL;
	*(queue->first == NULL ? &queue->first : &queue->last->next) = request;
	queue->last = request;
	queue->count++;
}

struct request *
queue_take(struct queue *queue, long number)
{
	struct request **at = &queue->first, *request, *before = NULL;

	while ((request = *at) != NULL && number != 0 && request->number != number) {
		before = request;
		at = &request->next;
	}
	if (request == NULL)
		return NULL;
	*at = request->next;
	if (queue->last == request)
		queue->last = before;
	queue->count--;
	return request;
}

void
queue_return(struct queue *queue, struct queue *other)
{
	if (other->first == NULL)
		return;
	other->last->next = queue->first;
	if (queue->first == NULL)
		queue->last = other->last;
	queue->first = other->first;
	queue->count += other->count;
	*other = (struct queue){0};
}
