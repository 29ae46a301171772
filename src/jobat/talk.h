/*
 * A client and a server talk in frames, each a letter, its length and as many bytes: on one
 * machine, and they are the same program.
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

/* Adds a frame. Exits without memory: that is as if a server were killed, so the job ends, and the
   client waits until it has. */
void talk_add(struct outbox *out, enum talk kind, const char *bytes, size_t length);
/* Takes the first frame: its kind, and until the next call its bytes and a NUL behind them; 0: read
   first; -1: that is none of ours. */
int talk_next(struct outbox *in, const char **bytes, size_t *length);
