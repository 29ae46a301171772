/*
 * The lines that tokstat shows, with tabs between their fields: the report of a dispenser
 * (report.h), the text of a board (board.h), or the list of all of these. Anybody may have written
 * them: a line of which a field is not what it should be is not taken.
 */
#include <sys/types.h>

#include <limits.h>
#include <stddef.h>

struct outbox;

enum { SHEET_FIELDS = 12, SHEET_ENDLESS = INT_MAX /* columns: all */, SHEET_NUMBER = 32 };

enum sheet_kind {
	SHEET_POOL,
	SHEET_BUILD,
	SHEET_SLOT,
	SHEET_WAIT,
	SHEET_BATCH,
	SHEET_RUN,
	SHEET_ENTRY
};

struct line {
	enum sheet_kind kind;
	char *text;                 /* all fields are in it */
	const char *field[SHEET_FIELDS];
	char *command;              /* or NULL: not known */
	pid_t runner;               /* the process that has this command, or 0 */
	int left_behind;            /* whoever got the token has gone, and this process has it */
	char *left_pool;            /* of a build: what has left the pool (leavers.h), or NULL */
};

struct sheet {
	struct line *list;
	size_t count, room;
	long from, rows;            /* of a window: where it begins, of how many; or 0, -1 */
};

/* The fields of these kinds, which follow the word. */
enum { POOL_TOKENS, POOL_FREE, POOL_OUT, POOL_WAITING, POOL_GRANTED, POOL_RETURNED,
	POOL_RECOVERED, POOL_LONGEST, POOL_MEAN };
enum { BUILD_SLOT, BUILD_PID, BUILD_SECONDS, BUILD_SHARE, BUILD_OUT, BUILD_READY,
	BUILD_PRIORITY };
enum { SLOT_NUMBER, SLOT_STATE, SLOT_PID, SLOT_SECONDS, SLOT_LABEL };
enum { WAIT_PLACE, WAIT_PID, WAIT_TOKENS, WAIT_PRIORITY, WAIT_SECONDS };
enum { BATCH_PID, BATCH_KIND, BATCH_PATH, BATCH_SLOTS, BATCH_RUNNING, BATCH_TOTAL, BATCH_DONE,
	BATCH_FAILED, BATCH_SECONDS, BATCH_LEFT, BATCH_COMMAND };
enum { RUN_SLOT, RUN_JOB, RUN_TRY, RUN_PID, RUN_SECONDS, RUN_LABEL };
enum { ENTRY_PID, ENTRY_KIND, ENTRY_PATH, ENTRY_SIZE, ENTRY_RUNNING, ENTRY_WAITING, ENTRY_DONE,
	ENTRY_FAILED, ENTRY_TOTAL, ENTRY_SECONDS, ENTRY_COMMAND };

/* Adds a line of that kind: it, or NULL where a field is not what it should be. Exits without
   memory, as all of these do. */
struct line *sheet_add(struct sheet *sheet, enum sheet_kind kind, const char *const *field);
/* Takes a line of text, which may be the window of a report: 1, or 0 for what is none. */
int sheet_take(struct sheet *sheet, const char *text);
/* A number in the line; "-", and what is too large, is -1. */
long long sheet_number(const struct line *line, int field);
/* Seconds in the line, in ms; "-" is -1. */
long long sheet_ms(const struct line *line, int field);
/* A field for that many ms, -1: "-". */
const char *sheet_seconds(char text[SHEET_NUMBER], long long ms);
/* Takes a copy of the command; the line has had none. */
void sheet_command(struct line *line, const char *text);
/* 1 where it is a lease that tells who has the line's token: of a slot or a build. */
int sheet_leased(const struct line *line);
/* Puts builds first, then slots that are out, all others, and those who wait; and leaves at most
   that many rows from there on, or the last ones. Does nothing to what is such a window already. */
void sheet_window(struct sheet *sheet, long from, long count);
/* Forgets all lines, and keeps their room. */
void sheet_clear(struct sheet *sheet);
/* Forgets all. */
void sheet_drop(struct sheet *sheet);
/* Adds all lines as they are, but with blanks for control characters. */
void sheet_tsv(struct outbox *out, const struct sheet *sheet);
/* Adds an object on one line. */
void sheet_json(struct outbox *out, const struct sheet *sheet);
/* Adds text for a table: blanks for control characters, \xNN for what a terminal might obey. How
   many columns it takes. */
size_t sheet_plain(struct outbox *out, const char *text, size_t columns);
