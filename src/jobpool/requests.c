#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobpool.h"

enum { PREFIX_ROOM = 48 };

struct request *
request_make(struct answers *answers, long number, const char *line, size_t length)
{
	struct request *request = need_memory(malloc(sizeof *request + length + 1));

	*request = (struct request){.number = number, .length = length + 1};
	memcpy(request->text, line, length);
	request->text[length] = '\n';
	if (answers->order) {
		*(answers->first == NULL ? &answers->first : &answers->last->after) = request;
		answers->last = request;
	}
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
queue_take(struct queue *queue)
{
	struct request *request = queue->first;

	if (request != NULL) {
		queue->first = request->next;
		queue->count--;
	}
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

void
answers_put(struct outbox *box, const char *prefix, const char *text, size_t length)
{
	if (outbox_say(box, "%s", prefix) != 0 || outbox_add(box, text, length) != 0 ||
	    outbox_add(box, "\n", 1) != 0)
		fail(STATUS_TROUBLE, "no memory:");
}

/* With order, those are written whose turn has come: all before them had theirs. */
static void
settle_answer(struct answers *answers, struct request *request, const char *prefix,
    const char *text, size_t length)
{
	int now = !answers->order || request == answers->first;

	answers_put(now ? &answers->out : &request->answer, prefix, text, length);
	if (!answers->order) {
		free(request);
		return;
	}
	request->answered = 1;
	answers->kept++;
	while ((request = answers->first) != NULL && request->answered) {
		answers->first = request->after;
		answers->kept--;
		if (outbox_add(&answers->out, request->answer.bytes, request->answer.end) != 0)
			fail(STATUS_TROUBLE, "no memory:");
		outbox_drop(&request->answer);
		free(request);
	}
}

void
answers_give(struct answers *answers, struct request *request, const char *line, size_t length)
{
	char prefix[PREFIX_ROOM] = "";

	if (answers->attended || answers->tagged)
		snprintf(prefix, sizeof prefix, "%ld%c", request->number,
		    answers->attended ? ' ' : '\t');
	settle_answer(answers, request, prefix, line, length);
}

void
answers_fail(struct answers *answers, struct request *request, const char *why)
{
	char prefix[PREFIX_ROOM];

	snprintf(prefix, sizeof prefix, "failed %ld ", request->number);
	if (answers->attended)
		settle_answer(answers, request, prefix, why, strlen(why));
	else if (answers->order)
		answers_give(answers, request, "", 0);
	else
		free(request);
}
