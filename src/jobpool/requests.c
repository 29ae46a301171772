#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	request->next = NULL;
	request->number = number;
	request->tries = 0;
	request->after = NULL;
	request->answer = NULL;
	memcpy(request->text, prefix, (size_t)n);
	memcpy(request->text + n, line, length);
	request->text[(size_t)n + length] = '\n';
	request->length = (size_t)n + length + 1;
	return request;
}

void
queue_put(struct queue *queue, struct request *request)
{
	request->next = NULL;
	if (queue->first == NULL)
		queue->first = request;
	else
		queue->last->next = request;
	queue->last = request;
	queue->count++;
}

void
queue_push(struct queue *queue, struct request *request)
{
	request->next = queue->first;
	if (queue->first == NULL)
		queue->last = request;
	queue->first = request;
	queue->count++;
}

struct request *
queue_take(struct queue *queue)
{
	struct request *request = queue->first;

	if (request == NULL)
		return NULL;
	queue->first = request->next;
	queue->count--;
	return request;
}

struct request *
queue_find(struct queue *queue, long number)
{
	struct request *request, *before = NULL;

	for (request = queue->first; request != NULL; before = request, request = request->next)
		if (request->number == number)
			break;
	if (request == NULL || before == NULL)
		return request == NULL ? NULL : queue_take(queue);
	before->next = request->next;
	if (queue->last == request)
		queue->last = before;
	queue->count--;
	return request;
}

void
queue_return(struct queue *queue, struct queue *other)
{
	struct queue none = {NULL, NULL, 0};

	if (other->first == NULL)
		return;
	other->last->next = queue->first;
	if (queue->first == NULL)
		queue->last = other->last;
	queue->first = other->first;
	queue->count += other->count;
	*other = none;
}
