/*
 * Places in the words of a command, and what stands there. For each argument:
 *
 *	{}	the argument		{/}	what follows its last slash
 *	{.}	without its extension	{//}	what precedes that, or .
 *					{/.}	{/} without its extension
 *
 * With a number, such as {2} {-1} {2/.}, for that argument, counted from 1, or from the last:
 * nothing where there is none. {#} is the number of the job, {%} its slot. All else in braces is
 * text.
 */
#include <stddef.h>

/* The arguments of a job. */
struct arguments {
	const char *text; /* one after the other, a NUL after each */
	size_t length;    /* of all that */
	long count;
};

enum place_part {
	PLACE_WHOLE, PLACE_STEM, PLACE_BASE, PLACE_DIRECTORY, PLACE_BASE_STEM, PLACE_ID, PLACE_SLOT
};

struct place {
	enum place_part part;
	long number;      /* of the argument; 0: each of them, or this is no place for one */
	size_t length;    /* of what is written in this place */
};

enum { PLACE_ROOM = 24 /* of a number, as text */ };

/* The place that begins at text; replace: what is written for {}, which then is text; or NULL.
   1, or 0 when none begins there. */
int place_at(const char *text, const char *replace, struct place *place);
/* The first place in text: how many bytes precede it; or all of them, and place->length is 0. */
size_t place_find(const char *text, const char *replace, struct place *place);
/* 1 when it is for each argument; 0 for a number of any kind. */
int place_is_each(const struct place *place);
/* The value of a place, where each is the current argument: *from, and its length. */
size_t place_value(const struct place *place, const struct arguments *given, const char *each,
    const char **from);
