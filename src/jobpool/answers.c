#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/outbox.h"
#include "requests.h"
#include "answers.h"

enum { PREFIX_ROOM = 48 };

void
answers_open(struct answers *answers, enum answers_form form, int order)
{
	*answers = (struct answers){.form = form, .order = order};
}

static int
put_line(struct outbox *box, const char *prefix, const char *text, size_t length)
{
	if (outbox_add(box, prefix, strlen(prefix)) != 0 || outbox_add(box, text, length) != 0)
		return -1;
	return outbox_add(box, "\n", 1);
}

void
answers_expect(struct answers *answers, struct request *request)
{
	if (!answers->order)
		return;
	*(answers->first == NULL ? &answers->first : &answers->last->after) = request;
	answers->last = request;
}

static void
drop(struct request *request)
{
	outbox_drop(&request->answer);
	free(request);
}

/* With order, those are written whose turn has come: all before them had theirs. */
static int
settle(struct answers *answers, struct request *request, const char *prefix, const char *text,
    size_t length)
{
	int now = !answers->order || request == answers->first;
	int bad = put_line(now ? &answers->out : &request->answer, prefix, text, length);

	if (!answers->order) {
		drop(request);
		return bad;
	}
	request->answered = 1;
	answers->kept++;
	while ((request = answers->first) != NULL && request->answered) {
		answers->first = request->after;
		answers->kept--;
		bad |= outbox_add(&answers->out, request->answer.bytes, request->answer.end);
		drop(request);
	}
	return bad;
}

int
answers_give(struct answers *answers, struct request *request, const char *line, size_t length)
{
	char prefix[PREFIX_ROOM] = "";

	if (answers->form != ANSWERS_PLAIN)
		snprintf(prefix, sizeof prefix, "%ld%c", request->number,
		    answers->form == ANSWERS_NUMBERED ? '\t' : ' ');
	return settle(answers, request, prefix, line, length);
}

int
answers_fail(struct answers *answers, struct request *request, const char *why)
{
	char prefix[PREFIX_ROOM];

	if (answers->form == ANSWERS_ATTENDED) {
		snprintf(prefix, sizeof prefix, "failed %ld ", request->number);
		return settle(answers, request, prefix, why, strlen(why));
	}
	if (answers->order)
		return answers_give(answers, request, "", 0);
	drop(request);
	return 0;
}

int
answers_said(struct answers *answers, long worker, const char *text, size_t length)
{
	char prefix[PREFIX_ROOM];

	snprintf(prefix, sizeof prefix, "said %ld ", worker);
	return put_line(&answers->out, prefix, text, length);
}

void
answers_drop(struct answers *answers)
{
	struct request *request;

	while ((request = answers->first) != NULL) {
		answers->first = request->after;
		drop(request);
	}
	outbox_drop(&answers->out);
}
