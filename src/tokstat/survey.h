/*
 * Asks a dispenser for its report. It may be stopped, or busy: so there is a way to ask that waits
 * for nobody.
 */
#include "../tools/asking.h"
#include "sheet.h"

enum survey_state {
	SURVEY_WAITS,    /* the rest is still to come */
	SURVEY_WHOLE,
	SURVEY_NOBODY,   /* no dispenser is there */
	SURVEY_GONE,     /* the dispenser went away */
	SURVEY_ROOM,     /* "no room": too many are asking */
	SURVEY_LATE,     /* the dispenser is stopped, or too busy to answer */
	SURVEY_ATTENDED, /* it serves one script only */
	SURVEY_JUNK      /* that is not the answer of a dispenser */
};

struct survey {
	struct asking asking;
	int open;
	int builds;         /* set by the caller: their rows, too */
	struct sheet sheet; /* the answer */
};

/* Asks for these rows (report.h), or with count -1 for all. Any other answer than SURVEY_WAITS ends
   it, here and in the next one. */
enum survey_state survey_begin(struct survey *survey, const char *fifo, long from, long count);
/* Reads on until that time (clock.h), or for ever with -1. */
enum survey_state survey_step(struct survey *survey, long long until);
/* Ends it, if it has not ended; the sheet stays. */
void survey_end(struct survey *survey);
/* Exits with a message, unless that is what all went well with. */
void survey_check(const char *fifo, enum survey_state state);
