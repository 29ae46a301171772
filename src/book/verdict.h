/* How a job ended, as it is told. */
#include <stddef.h>

enum { VERDICT_ROOM = 1024 /* more than a message shows */ };

struct verdict {
	long id;
	int status, signal;
	long long limit; /* ms that it had, if it was late, else 0 */
	char why;        /* a letter, if it was a command that a shell cannot run, else 0 */
};

/* Writes "job 3: exit status 1: COMMAND", or its like, into the text; command may be NULL. */
void verdict_text(char *text, size_t size, const struct verdict *verdict, const char *command);
