#include <sys/stat.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../display/board.h"
#include "../display/human.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/outbox.h"
#include "batches.h"
#include "running.h"
#include "sheet.h"

/* The fields of the three kinds of lines of a board, with its first word. */
enum { HEAD_WORD, HEAD_KIND, HEAD_PID, HEAD_BESIDE, HEAD_PATH, HEAD_TEXT, HEAD_FIELDS };
enum { STATE_WORD, STATE_SLOTS, STATE_RUNNING, STATE_TOTAL, STATE_DONE, STATE_FAILED, STATE_START,
	STATE_FIELDS };
enum { JOB_WORD, JOB_SLOT, JOB_ID, JOB_TRY, JOB_PID, JOB_START, JOB_LABEL, JOB_COMMAND,
	JOB_FIELDS };

struct board_text {
	const char *head[HEAD_FIELDS];
	const char *state[STATE_FIELDS]; /* "-" where it says nothing of its jobs yet */
	char *rest;                      /* the lines of jobs */
};

struct search {
	pid_t pid;
	struct stat path;       /* of the FIFO, or of its directory */
	struct found found;
	long long start;        /* when the one that was found began */
	struct sheet *sheet;
	struct running *running;
	int trouble;            /* errno of what could not be read, or 0 */
};

/* Cuts the first line of the text into its fields: the rest of the text, or NULL where the line has
   another word, or other fields. */
static char *
take(char *text, const char *word, const char **field, int fields)
{
	char *end = strchr(text, '\n');
	size_t length = strlen(word);

	if (end == NULL || strncmp(text, word, length) != 0 || text[length] != '\t')
		return NULL;
	*end = '\0';
	for (int i = 0; i < fields; i++) {
		char *this = text;

		if (this == NULL)
			return NULL;
		if ((text = strchr(this, '\t')) != NULL)
			*text++ = '\0';
		board_plain(this);
		field[i] = this;
	}
	return text == NULL ? end + 1 : NULL;
}

/* 0, or -1 for what is no board, or cannot be read: that is trouble. */
static int
read_board(struct search *s, struct board_text *board, char *text)
{
	char *rest = text == NULL ? NULL : take(text, "jobctl", board->head, HEAD_FIELDS);

	if (text == NULL)
		s->trouble = errno;
	for (int i = 0; i < STATE_FIELDS; i++)
		board->state[i] = "-";
	if (rest == NULL)
		return -1;
	board->rest = rest;
	if (strncmp(rest, "batch\t", 6) != 0)
		return 0;
	board->rest = take(rest, "batch", board->state, STATE_FIELDS);
	return board->rest == NULL ? -1 : 0;
}

static long long
since_ms(const char *start)
{
	long long ms = clock_epoch() - strtoll(start, NULL, 10);

	return ms < 0 ? 0 : ms;
}

/* A number of a board is "-1" where it is not known. */
static const char *
known(const char *number)
{
	return *number == '-' ? "-" : number;
}

static void
keep(struct search *s, pid_t pid, const struct board_text *board)
{
	const char *const *head = board->head;

	free(s->found.path);
	s->found.pid = pid;
	s->found.beside = (pid_t)strtol(head[HEAD_BESIDE], NULL, 10);
	s->found.pool = strcmp(head[HEAD_KIND], "pool") == 0;
	s->found.path = NULL;
	s->start = strtoll(board->state[STATE_START], NULL, 10);
	if (strcmp(head[HEAD_PATH], "-") != 0)
		s->found.path = need_memory(strdup(head[HEAD_PATH]));
}

static void
look_at_all(struct search *s, int (*each)(void *, pid_t, char *))
{
	if (boards_each(each, s) < 0)
		s->trouble = errno;
	s->found.trouble = s->found.pid == 0 ? s->trouble : 0;
}

/* A shell may have several: those of its own pid are looked for to the end. */
static int
match_pid(void *context, pid_t pid, char *text)
{
	struct search *s = context;
	struct board_text board;
	long beside;

	if (read_board(s, &board, text) != 0)
		return 0;
	beside = strtol(board.head[HEAD_BESIDE], NULL, 10);
	if (pid == s->pid) {
		keep(s, pid, &board);
		return 1;
	}
	if (beside == (long)s->pid && (s->found.pid == 0 ||
	    strtoll(board.state[STATE_START], NULL, 10) >= s->start))
		keep(s, pid, &board);
	return 0;
}

struct found
batches_by_pid(pid_t pid)
{
	struct search s = {.pid = pid};

	look_at_all(&s, match_pid);
	return s.found;
}

/* 1 if that file has that name, perhaps with something behind it. */
static int
is_file(const struct stat *file, const char *path, const char *more)
{
	char name[PATH_MAX];
	struct stat st;

	return snprintf(name, sizeof name, "%s%s", path, more) < (int)sizeof name &&
	    stat(name, &st) == 0 && descriptors_same(&st, file);
}

static int
match_path(void *context, pid_t pid, char *text)
{
	struct search *s = context;
	struct board_text board;

	if (read_board(s, &board, text) != 0 ||
	    strcmp(board.head[HEAD_PATH], "-") == 0 ||
	    (!is_file(&s->path, board.head[HEAD_PATH], "") &&
	    !is_file(&s->path, board.head[HEAD_PATH], ".d")))
		return 0;
	keep(s, pid, &board);
	return 1;
}

struct found
batches_by_path(const char *path)
{
	struct search s = {.pid = 0};

	if (stat(path, &s.path) == 0)
		look_at_all(&s, match_path);
	return s.found;
}

/* By its board; or the words that its shell, or the process with the board, was called with; in
   the box, which the caller drops. */
static const char *
command_of(const struct search *s, const struct board_text *board, struct outbox *words)
{
	pid_t shell = (pid_t)strtol(board->head[HEAD_BESIDE], NULL, 10),
	    itself = (pid_t)strtol(board->head[HEAD_PID], NULL, 10);

	if (*board->head[HEAD_TEXT] != '\0')
		return board->head[HEAD_TEXT];
	running_command(s->running, shell > 0 ? shell : itself, words, ' ');
	return outbox_text(words);
}

static void
add_job(struct sheet *sheet, const char *const *job)
{
	char number[SHEET_NUMBER];
	const char *field[SHEET_FIELDS] = {job[JOB_SLOT], job[JOB_ID], job[JOB_TRY], job[JOB_PID],
	    sheet_seconds(number, since_ms(job[JOB_START])), job[JOB_LABEL]};
	struct line *line = sheet_add(sheet, SHEET_RUN, field);

	if (line != NULL && *job[JOB_COMMAND] != '\0')
		sheet_command(line, job[JOB_COMMAND]);
	if (line != NULL)
		line->runner = (pid_t)strtol(job[JOB_PID], NULL, 10);
}

/* Adds a line of that kind, SHEET_BATCH or SHEET_ENTRY. */
static void
add_board(const struct search *s, enum sheet_kind kind, const struct board_text *board)
{
	const char *const *head = board->head, *const *state = board->state;
	long long ms = *state[STATE_START] == '-' ? -1 : since_ms(state[STATE_START]);
	long long total = strtoll(state[STATE_TOTAL], NULL, 10),
	    done = strtoll(state[STATE_DONE], NULL, 10);
	char spent[SHEET_NUMBER], left[SHEET_NUMBER];
	struct outbox words = {0};
	const char *field[SHEET_FIELDS] = {
		[BATCH_PID] = head[HEAD_PID], [BATCH_KIND] = head[HEAD_KIND],
		[BATCH_PATH] = head[HEAD_PATH], [BATCH_SLOTS] = state[STATE_SLOTS],
		[BATCH_RUNNING] = state[STATE_RUNNING], [BATCH_TOTAL] = known(state[STATE_TOTAL]),
		[BATCH_DONE] = state[STATE_DONE], [BATCH_FAILED] = state[STATE_FAILED],
		[BATCH_SECONDS] = sheet_seconds(spent, ms),
		[BATCH_LEFT] = sheet_seconds(left, human_left_ms(ms, done, total - done)),
		[BATCH_COMMAND] = command_of(s, board, &words)};

	if (kind == SHEET_ENTRY) {
		field[ENTRY_TOTAL] = field[BATCH_TOTAL];
		field[ENTRY_SECONDS] = spent;
		field[ENTRY_WAITING] = "-";
	}
	sheet_add(s->sheet, kind, field);
	outbox_drop(&words);
}

static int
read_one(void *context, pid_t pid, char *text)
{
	struct search *s = context;
	struct board_text board;
	const char *job[JOB_FIELDS];

	if (pid != s->pid || read_board(s, &board, text) != 0 ||
	    strcmp(board.head[HEAD_KIND], "pool") == 0)
		return 0;
	add_board(s, SHEET_BATCH, &board);
	while (s->sheet->count > 0 &&
	    (board.rest = take(board.rest, "run", job, JOB_FIELDS)) != NULL)
		add_job(s->sheet, job);
	return s->sheet->count > 0;
}

int
batches_read(pid_t pid, struct sheet *sheet, struct running *running)
{
	struct search s = {.pid = pid, .sheet = sheet, .running = running};

	sheet_clear(sheet);
	look_at_all(&s, read_one);
	errno = s.trouble;
	return sheet->count > 0 ? 1 : s.trouble != 0 ? -1 : 0;
}

static int
list_one(void *context, pid_t pid, char *text)
{
	struct board_text board;

	(void)pid;
	if (read_board(context, &board, text) == 0)
		add_board(context, SHEET_ENTRY, &board);
	return 0;
}

int
batches_list(struct sheet *sheet, struct running *running)
{
	struct search s = {.sheet = sheet, .running = running};

	sheet_clear(sheet);
	look_at_all(&s, list_one);
	errno = s.trouble;
	return s.trouble == 0 ? 0 : -1;
}

void
batches_complain(int error)
{
	char place[BOARD_PATH];

	boards_place(place);
	errno = error;
	if (error == EPERM)
		complain("%s: must be a directory of yours where nobody else may write", place);
	else if (error == EBADMSG)
		complain("%s: a program could not write there what it does: is the disk "
		    "full?", place);
	else
		complain("%s: cannot show all that runs:", place);
}
