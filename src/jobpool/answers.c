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
put_line(struct answers *answers, const char *prefix, const char *text, size_t length)
{
	if (outbox_add(&answers->out, prefix, strlen(prefix)) != 0 ||
	    outbox_add(&answers->out, text, length) != 0)
		return -1;
	return outbox_add(&answers->out, "\n", 1);
}

static int
put_answer(struct answers *answers, long number, const char *line, size_t length)
{
	char prefix[PREFIX_ROOM] = "";

	if (answers->form != ANSWERS_PLAIN)
		snprintf(prefix, sizeof prefix, "%ld%c", number, answers->form == ANSWERS_NUMBERED
		    ? '\t' : ' ');
	return put_line(answers, prefix, line, length);
}

static int
put_failure(struct answers *answers, long number, const char *why)
{
	char prefix[PREFIX_ROOM];

	if (answers->form == ANSWERS_ATTENDED) {
		snprintf(prefix, sizeof prefix, "failed %ld ", number);
		return put_line(answers, prefix, why, strlen(why));
	}
	return answers->order ? put_answer(answers, number, "", 0) : 0;
}

static int
put(struct answers *answers, const struct request *request, char kind, const char *text,
    size_t length)
{
	if (kind == '+')
		return put_answer(answers, request->number, text, length);
	return put_failure(answers, request->number, text);
}

void
answers_expect(struct answers *answers, struct request *request)
{
	if (!answers->order)
		return;
	if (answers->first == NULL)
		answers->first = request;
	else
		answers->last->after = request;
	answers->last = request;
}

/* Those whose turn has come: all before them had theirs. */
static int
put_kept(struct answers *answers)
{
	struct request *request;
	int bad = 0;

	while ((request = answers->first) != NULL && request->answer != NULL) {
		answers->first = request->after;
		answers->kept--;
		bad |= put(answers, request, request->answer[0], request->answer + 1,
		    request->length);
		free(request->answer);
		free(request);
	}
	return bad;
}

static int
settle(struct answers *answers, struct request *request, char kind, const char *text, size_t length)
{
	int bad;

	if (!answers->order) {
		bad = put(answers, request, kind, text, length);
		free(request);
		return bad;
	}
	if ((request->answer = malloc(length + 2)) == NULL)
		return -1;
	request->answer[0] = kind;
	memcpy(request->answer + 1, text, length);
	request->answer[length + 1] = '\0';
	request->length = length;
	answers->kept++;
	return put_kept(answers);
}

int
answers_give(struct answers *answers, struct request *request, const char *line, size_t length)
{
	return settle(answers, request, '+', line, length);
}

int
answers_fail(struct answers *answers, struct request *request, const char *why)
{
	return settle(answers, request, '-', why, strlen(why));
}

int
answers_said(struct answers *answers, long worker, const char *text, size_t length)
{
	char prefix[PREFIX_ROOM];

	snprintf(prefix, sizeof prefix, "said %ld ", worker);
	return put_line(answers, prefix, text, length);
}

long
answers_keep(const struct answers *answers)
{
	return answers->kept;
}

void
answers_drop(struct answers *answers)
{
	struct request *request;

	while ((request = answers->first) != NULL) {
		answers->first = request->after;
		free(request->answer);
		free(request);
	}
	outbox_drop(&answers->out);
}
