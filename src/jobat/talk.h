/*
 * A jobat and the one that keeps the session of its slot talk in frames, each
 * a letter, its length and as many bytes. On one machine, between two of the same program.
 */
#include <stddef.h>

struct outbox;

enum talk {
	TALK_DIRECTORY = 'D', /* where it is to run, before a job */
	TALK_EXPORTS = 'E', /* shell text, before a job; none is none */
	TALK_JOB = 'J',     /* its words as shell text */
	TALK_END = 'T',     /* end it */
	TALK_OUTPUT = 'o', TALK_ERROR = 'e',
	TALK_STATUS = 's',  /* its status, as text */
	TALK_NEVER = 'n',   /* it was not begun: why */
	TALK_LOST = 'l'     /* nobody knows how it ended: why */
};

enum { TALK_MOST = 64 * 1024 * 1024 /* bytes of a frame */ };

/* Adds a frame: 0, or -1 with errno ENOMEM. */
int talk_add(struct outbox *out, enum talk kind, const char *bytes, size_t length);
/* The first frame that has come, which talk_take() then forgets: its kind, and a NUL behind its
   bytes; 0: read first; -1: that is none of ours. */
int talk_next(struct outbox *in, const char **bytes, size_t *length);
void talk_take(struct outbox *in, size_t length);
