/*
 * The subject of tokstat: a pool, a batch, or all that this user has.
 */
#include "../lib/outbox.h"
#include "commands.h"
#include "survey.h"

struct subject {
	enum { SUBJECT_POOL, SUBJECT_BATCH, SUBJECT_ALL } kind;
	const char *fifo;         /* of a pool */
	pid_t pid;                /* of a batch */
	char *path;               /* of its dispenser, as its board says, or NULL */
	struct survey survey;     /* its sheet is what was read */
	struct commands commands;
	struct mute *mutes;       /* dispensers that have not answered */
	size_t mute_count, mute_room;
	struct outbox state;      /* how the batch stood when it was last seen */
	int over;                 /* the batch has ended */
	int trouble;              /* errno, where not all could be read: batches_complain() */
};

/* Finds it: the operand is a FIFO, a batch's directory, or a pid; NULL: all. Exits with a message
   where there is no such thing. */
void subject_open(struct subject *subject, const char *operand);
/* Begins to read these rows, or with count -1 all: survey.h. */
enum survey_state subject_begin(struct subject *subject, long from, long count);
/* Goes on until that time (clock.h): survey.h. Of all but a pool all is there at once, and when a
   batch has ended the sheet is empty, and subject->over 1; or it could not be read, and
   subject->trouble says why. */
enum survey_state subject_step(struct subject *subject, long long until);
/* Reads all rows; exits with a message where there is no dispenser, or, unless we are patient, it
   is silent for too long. */
void subject_read(struct subject *subject, int patient);
/* Says that the batch has ended, and how it stood. */
void subject_say_end(struct subject *subject);
/* Forgets all. */
void subject_close(struct subject *subject);
