#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/outbox.h"
#include "requests.h"
#include "answers.h"

enum { PREFIX_ROOM = 48, FIRST = 64 };

void
answers_open(struct answers *answers, enum answers_form form, int order)
{
	struct answers empty = {0};

	*answers = empty;
	answers->form = form;
	answers->order = order;
	answers->next = 1;
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
		snprintf(prefix, sizeof prefix, "%ld%c", number, answers->form == ANSWERS_NUMBERED ? '\t' : ' ');
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

/* Room for the number beside all others that wait. */
static int
make_room(struct answers *answers, long number)
{
	long room = answers->room, i;
	struct request **early;

	while (room <= number - answers->next)
		room = room == 0 ? FIRST : room * 2;
	if (room == answers->room)
		return 0;
	if ((early = calloc((size_t)room, sizeof *early)) == NULL)
		return -1;
	for (i = 0; i < answers->room; i++)
		if (answers->early[i] != NULL)
			early[answers->early[i]->number % room] = answers->early[i];
	free(answers->early);
	answers->early = early;
	answers->room = room;
	return 0;
}

/* What was too early has its turn now, as far as there is no gap. The first byte of
   what is kept tells an answer from a failure. */
static int
put_kept(struct answers *answers)
{
	struct request *request;
	int bad = 0;

	while (answers->kept > 0 && (request = answers->early[answers->next % answers->room]) != NULL) {
		answers->early[answers->next % answers->room] = NULL;
		answers->kept--;
		if (request->answer[0] == '+')
			bad |= put_answer(answers, request->number, request->answer + 1, request->length);
		else
			bad |= put_failure(answers, request->number, request->answer + 1);
		answers->next++;
		free(request->answer);
		free(request);
	}
	return bad;
}

static int
keep(struct answers *answers, struct request *request, char kind, const char *text, size_t length)
{
	if (make_room(answers, request->number) != 0 || (request->answer = malloc(length + 2)) == NULL)
		return -1;
	request->answer[0] = kind;
	memcpy(request->answer + 1, text, length);
	request->answer[length + 1] = '\0';
	request->length = length;
	answers->early[request->number % answers->room] = request;
	answers->kept++;
	return 0;
}

static int
settle(struct answers *answers, struct request *request, char kind, const char *text, size_t length)
{
	int bad;

	if (answers->order && request->number != answers->next)
		return keep(answers, request, kind, text, length);
	bad = kind == '+' ? put_answer(answers, request->number, text, length)
	                  : put_failure(answers, request->number, text);
	answers->next++;
	free(request);
	return answers->order ? bad | put_kept(answers) : bad;
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
	long i;

	for (i = 0; i < answers->room; i++)
		if (answers->early[i] != NULL) {
			free(answers->early[i]->answer);
			free(answers->early[i]);
		}
	free(answers->early);
	outbox_drop(&answers->out);
}
