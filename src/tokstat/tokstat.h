/* What tokstat is made of: lines (sheet.c), which are read from a dispenser or a board (subject.c,
   behind.c), and shown (view.c, watch.c). Functions exit with a message if there is no memory. */
#ifndef TOKSTAT_H
#define TOKSTAT_H
#include <sys/types.h>

#include <stddef.h>

#include "../book/book.h"
#include "../display/display.h"
#include "../lease/lease.h"
#include "../lib/lib.h"
#include "../tools/tools.h"

/* Lines, with tabs between their fields: the report of a dispenser (report.c), the text of a board
   (board.c), or the list of all of these. Anybody may have written them. */
enum sheet_kind {
	SHEET_ENTRY, SHEET_BATCH, SHEET_RUN, SHEET_POOL, SHEET_HOLDER, SHEET_SLOT, SHEET_WAIT
};
enum { SHEET_FIELDS = 12 };

struct line {
	enum sheet_kind kind;
	char *field[SHEET_FIELDS];
	int left_behind;            /* who asked for the token has gone: this process has it */
};

struct sheet {
	struct line *list;
	size_t count, room;
};

/* The fields of each kind, without the word; ROW_ is for all that a command has. */
enum { ROW_SLOT, ROW_PID, ROW_SECONDS };
enum { HOLDER_TOKENS = 3, HOLDER_PRIORITY, HOLDER_SHARE, HOLDER_READY, HOLDER_LABEL,
	HOLDER_COMMAND };
enum { RUN_JOB = 3, RUN_TRY, RUN_LABEL, RUN_COMMAND };
enum { POOL_TOKENS, POOL_FREE, POOL_OUT, POOL_WAITING, POOL_GRANTED, POOL_RETURNED,
	POOL_RECOVERED, POOL_LONGEST, POOL_MEAN };
enum { SLOT_NUMBER, SLOT_STATE, SLOT_PID, SLOT_SECONDS, SLOT_HOLDER, SLOT_LABEL };
enum { BATCH_PID, BATCH_KIND, BATCH_PATH, BATCH_SLOTS, BATCH_RUNNING, BATCH_TOTAL, BATCH_DONE,
	BATCH_FAILED, BATCH_SECONDS, BATCH_LEFT, BATCH_COMMAND };
enum { ENTRY_PID, ENTRY_KIND, ENTRY_PATH, ENTRY_SIZE, ENTRY_RUNNING, ENTRY_WAITING, ENTRY_DONE,
	ENTRY_FAILED, ENTRY_TOTAL, ENTRY_SECONDS, ENTRY_COMMAND };

/* Adds a line of that kind: it, or NULL if a field is not what it should be. A number less than 0
   is not known, "-". */
struct line *sheet_add(struct sheet *sheet, enum sheet_kind kind, const char *const *field);
/* Cuts that text, and adds it as a line: it, or NULL if it is none. */
struct line *sheet_take(struct sheet *sheet, char *text);
/* Puts a copy of that text into a field. */
void sheet_change(struct line *line, int field, const char *text);
/* The number in a field; -1 for anything else, or what is too large. */
long sheet_number(const char *field);
/* The seconds in a field, in ms; "-" is -1. */
long long sheet_ms(const char *field);
/* The command of a line, or "". */
const char *sheet_command(const struct line *line);
/* Frees all. */
void sheet_drop(struct sheet *sheet);
/* Adds all lines as they are, but with blanks for control characters. */
void sheet_tsv(struct outbox *out, const struct sheet *sheet);
/* Adds an object on one line. */
void sheet_json(struct outbox *out, const struct sheet *sheet);

/* The subject of tokstat: a pool, a batch, or all that this user has. */
struct subject {
	enum { SUBJECT_POOL, SUBJECT_BATCH, SUBJECT_ALL } kind;
	char *path;                 /* of the dispenser, or NULL */
	pid_t pid;                  /* found on a board, or 0 */
	struct sheet sheet;         /* what was read last */
	int over;                   /* the batch has ended: this is how it stood before */
	int late;                   /* the dispenser has not answered in time: nothing was read */
	int trouble;                /* errno, if not all could be read: subject_complain() */
};

/* Finds it: the operand is a FIFO, a batch's directory, or a pid; NULL: all. Exits with a message
   if there is no such thing. */
void subject_open(struct subject *subject, const char *operand);
/* Reads it: of a pool at most that many commands, or all there is (-1). Exits with a message if
   there is no dispenser. */
void subject_read(struct subject *subject, long rows);
/* Says that the batch has ended, and how it stood. */
void subject_say_end(const struct subject *subject);
/* Says that not all could be read, and why. */
void subject_complain(const struct subject *subject);

/* Finds process and command for rows whose asker has gone, or is not known: a process that a
   command left behind, a shell that opened its lease itself, clients of a dispenser that was
   killed, jobs of a batch that says no commands. Only /proc tells; path is the dispenser's. */
void behind_find(struct sheet *sheet, const char *path);
/* The words that a process was called with, quoted, for free(3); NULL: not known. */
char *behind_words(long pid);

/* Adds the sheet as a person reads it: what it is, its figures, and a row for each command; not
   wider than columns (0: any width), in at most that many lines, each with that end. How many
   commands were left out; -1: some, and only the dispenser knows how many. */
long view_draw(struct outbox *out, const struct subject *subject, int columns, int lines,
    int coloured, const char *end);
/* Adds how many jobs of a batch are done, failed, running. */
void view_state(struct outbox *out, const struct line *batch);

/* Draws the subject on the terminal at standard output each second, until q, a signal, or the end
   of the batch; exits with a message if the dispenser ends, and dies of the signal. */
void watch_run(struct subject *subject);
#endif
