/*
 * One output of a place, in which words of the sh there stand between what jobs write: from a
 * token that nobody can guess to the end of the line. Zeroed but for the token, it is empty.
 */
#include "../lib/outbox.h"

enum { WIRE_WORD = 80 /* bytes of the longest word, without its token */ };

struct wire {
	const char *token;
	struct outbox held; /* what was read and not given */
};

/* The next piece: a word, *text, ended by '\0': 1; bytes of jobs: 0; nothing: -1, read first. Both
   until the next call. At the end what was taken for the beginning of a word is none. */
int wire_next(struct wire *wire, int at_end, const char **text, size_t *length);
