#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../lib/complain.h"
#include "../lib/status.h"
#include "../tools/inlet.h"
#include "survey.h"

enum { LABEL_LINE = 2048 /* bytes of a line of a report, or less */ };

/* A dispenser of before complains of what it does not know, and answers the first line that it
   does. */
static int
send(struct survey *s, long from, long count)
{
	char window[64] = "", older[64], rest[256];

	if (count >= 0)
		snprintf(window, sizeof window, "%ld %ld", from, count);
	snprintf(older, sizeof older, "\n@stat %.40s", s->asking.name);
	snprintf(rest, sizeof rest, "%s%s %s%s", window, older, window, count < 0 ? "" : older);
	return asking_send(&s->asking, s->builds ? "builds" : "stat", rest, inlet_soon());
}

enum survey_state
survey_begin(struct survey *s, const char *fifo, long from, long count)
{
	int late;

	sheet_clear(&s->sheet);
	if (asking_open(&s->asking, fifo) != 0)
		return SURVEY_NOBODY;
	s->open = 1;
	if (send(s, from, count) == 0)
		return SURVEY_WAITS;
	late = errno == ETIMEDOUT;
	survey_end(s);
	return late ? SURVEY_LATE : SURVEY_GONE;
}

void
survey_end(struct survey *s)
{
	if (s->open)
		asking_close(&s->asking);
	s->open = 0;
}

/* The pool is first, and once. */
static enum survey_state
take(struct survey *s, const char *text)
{
	size_t before = s->sheet.count;
	enum sheet_kind kind;

	if (strcmp(text, "no again") == 0 || strcmp(text, "again") == 0)
		return SURVEY_GONE;
	if (strncmp(text, "no ", 3) == 0)
		return strcmp(text, "no room") == 0 ? SURVEY_ROOM : SURVEY_ATTENDED;
	if (strcmp(text, "end") == 0)
		return before == 0 ? SURVEY_JUNK : SURVEY_WHOLE;
	if (!sheet_take(&s->sheet, text))
		return SURVEY_JUNK;
	if (s->sheet.count == before) /* the window */
		return SURVEY_WAITS;
	kind = s->sheet.list[before].kind;
	return kind > SHEET_WAIT || (before == 0) != (kind == SHEET_POOL) ? SURVEY_JUNK
	    : SURVEY_WAITS;
}

enum survey_state
survey_step(struct survey *s, long long until)
{
	char text[LABEL_LINE];
	enum survey_state state = SURVEY_WAITS;
	int came;

	while (state == SURVEY_WAITS) {
		came = asking_line(&s->asking, text, sizeof text, until);
		if (came == 0)
			return SURVEY_WAITS;
		state = came < 0 ? SURVEY_GONE : take(s, text);
	}
	survey_end(s);
	return state;
}

void
survey_check(const char *fifo, enum survey_state state)
{
	switch (state) {
	case SURVEY_NOBODY: fail(STATUS_GONE, "%s: no tokend runs there", fifo); break;
	case SURVEY_GONE: fail(STATUS_GONE, "%s: its tokend went away", fifo); break;
	case SURVEY_LATE: inlet_fail(fifo, STATUS_TROUBLE); break;
	case SURVEY_ROOM: fail(STATUS_TROUBLE, "%s: too many ask there", fifo); break;
	case SURVEY_ATTENDED:
		fail(STATUS_TROUBLE, "%s: its tokend serves one script only", fifo);
		break;
	case SURVEY_JUNK: fail(STATUS_TROUBLE, "%s: it is no tokend that answers", fifo); break;
	case SURVEY_WAITS:
	case SURVEY_WHOLE: break;
	}
}
