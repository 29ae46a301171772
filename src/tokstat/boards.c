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
#include "../lib/number.h"
#include "tokstat.h"

/* The fields of the three kinds of lines of a board, with its first word. */
enum { HEAD_WORD, HEAD_KIND, HEAD_PID, HEAD_BESIDE, HEAD_PATH, HEAD_TEXT, HEAD_FIELDS };
enum { STATE_WORD, STATE_SLOTS, STATE_RUNNING, STATE_TOTAL, STATE_DONE, STATE_FAILED, STATE_START,
	STATE_FIELDS };
enum { JOB_WORD, JOB_SLOT, JOB_ID, JOB_TRY, JOB_PID, JOB_START, JOB_LABEL, JOB_COMMAND,
	JOB_FIELDS };

struct board_text {
	const char *head[HEAD_FIELDS];
	const char *state[STATE_FIELDS]; /* "-" if it says nothing of its jobs yet */
	char *rest;                      /* the lines of jobs */
};

/* What is looked for: a board of that process or that path, or all. */
struct search {
	struct subject *subject;
	pid_t pid;
	const struct stat *path; /* of the FIFO, or of its directory; or NULL */
	long start;              /* when the one that was found began */
};

/* -1 for anything else: anybody may have written the board. */
static long
number_of(const char *text)
{
	long n;

	return number_scan(text, 0, LONG_MAX, &n) == 0 ? n : -1;
}

/* Cuts the first line of the text into its fields: the rest of the text, or NULL if the line has
   another word, or other fields. */
static char *
take_board_line(char *text, const char *word, const char **field, int fields)
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
	char *rest = text == NULL ? NULL
	    : take_board_line(text, "jobctl", board->head, HEAD_FIELDS);

	if (text == NULL)
		s->subject->trouble = errno;
	for (int i = 0; i < STATE_FIELDS; i++)
		board->state[i] = "-";
	if (rest == NULL)
		return -1;
	board->rest = rest;
	if (strncmp(rest, "batch\t", 6) == 0)
		board->rest = take_board_line(rest, "batch", board->state, STATE_FIELDS);
	return board->rest == NULL ? -1 : 0;
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

/* A shell may have several: those of its own pid are looked for to the end. */
static int
find_one(void *context, pid_t pid, char *text)
{
	struct search *s = context;
	struct board_text board;
	const char *const *head = board.head;
	long start;

	if (read_board(s, &board, text) != 0)
		return 0;
	if (s->path != NULL ? strcmp(head[HEAD_PATH], "-") == 0 ||
	    (!is_file(s->path, head[HEAD_PATH], "") && !is_file(s->path, head[HEAD_PATH], ".d"))
	    : pid != s->pid && number_of(head[HEAD_BESIDE]) != (long)s->pid)
		return 0;
	start = number_of(board.state[STATE_START]);
	if (s->subject->pid != 0 && pid != s->pid && start < s->start)
		return 0;
	s->start = start;
	free(s->subject->path);
	s->subject->path = strcmp(head[HEAD_PATH], "-") == 0 ? NULL
	    : need_memory(strdup(head[HEAD_PATH]));
	s->subject->kind = strcmp(head[HEAD_KIND], "pool") == 0 ? SUBJECT_POOL : SUBJECT_BATCH;
	s->subject->pid = pid;
	return s->path != NULL || pid == s->pid;
}

int
boards_find(struct subject *subject, pid_t pid, const char *path)
{
	struct stat st;
	struct search s = {.subject = subject, .pid = pid, .path = path != NULL ? &st : NULL};

	subject->trouble = 0;
	if ((path == NULL || stat(path, &st) == 0) && boards_each(find_one, &s) < 0)
		subject->trouble = errno;
	return subject->pid != 0;
}

/* The time since that, in ms; -1: not known. */
static long long
since_ms(const char *start)
{
	long began = number_of(start);
	long long now = clock_epoch();

	return began < 0 ? -1 : began > now ? 0 : now - began;
}

static const char *
known(const char *number)
{
	return number_of(number) < 0 ? "-" : number;
}

static void
add_job(struct sheet *sheet, const char *const *job)
{
	long pid = number_of(job[JOB_PID]);
	char number[SHEET_NUMBER], *words = *job[JOB_COMMAND] != '\0' || pid > INT_MAX ? NULL
	    : behind_words((pid_t)pid);
	const char *field[SHEET_FIELDS] = {
		[ROW_SLOT] = job[JOB_SLOT], [ROW_PID] = job[JOB_PID],
		[ROW_SECONDS] = sheet_seconds(number, since_ms(job[JOB_START])),
		[RUN_JOB] = job[JOB_ID], [RUN_TRY] = job[JOB_TRY], [RUN_LABEL] = job[JOB_LABEL],
		[RUN_COMMAND] = words != NULL ? words : job[JOB_COMMAND]};

	sheet_add(sheet, SHEET_RUN, field);
	free(words);
}

/* Adds a line of that kind, SHEET_BATCH or SHEET_ENTRY. If the board does not say its command, that
   is how the shell, or the process with the board, was called. */
static void
add_board(struct sheet *sheet, enum sheet_kind kind, const struct board_text *board)
{
	const char *const *head = board->head, *const *state = board->state;
	long long ms = since_ms(state[STATE_START]);
	long done = number_of(state[STATE_DONE]), total = number_of(state[STATE_TOTAL]),
	     shell = number_of(head[HEAD_BESIDE]), itself = number_of(head[HEAD_PID]),
	     pid = shell > 0 ? shell : itself;
	char spent[SHEET_NUMBER], left[SHEET_NUMBER], *words = NULL;
	const char *field[SHEET_FIELDS] = {
		[BATCH_PID] = head[HEAD_PID], [BATCH_KIND] = head[HEAD_KIND],
		[BATCH_PATH] = head[HEAD_PATH], [BATCH_SLOTS] = known(state[STATE_SLOTS]),
		[BATCH_RUNNING] = known(state[STATE_RUNNING]),
		[BATCH_TOTAL] = known(state[STATE_TOTAL]), [BATCH_DONE] = known(state[STATE_DONE]),
		[BATCH_FAILED] = known(state[STATE_FAILED]),
		[BATCH_SECONDS] = sheet_seconds(spent, ms),
		[BATCH_LEFT] = sheet_seconds(left, done < 0 || total < 0 ? -1
		    : human_left_ms(ms, done, total - done)),
		[BATCH_COMMAND] = head[HEAD_TEXT]};

	if (*head[HEAD_TEXT] == '\0' && pid > 0 && pid <= INT_MAX &&
	    (words = behind_words((pid_t)pid)) != NULL)
		field[BATCH_COMMAND] = words;
	if (kind == SHEET_ENTRY) {
		field[ENTRY_TOTAL] = field[BATCH_TOTAL];
		field[ENTRY_SECONDS] = spent;
		field[ENTRY_WAITING] = "-";
	}
	sheet_add(sheet, kind, field);
	free(words);
}

static int
read_one(void *context, pid_t pid, char *text)
{
	struct search *s = context;
	struct sheet *sheet = &s->subject->sheet;
	const char *job[JOB_FIELDS];
	struct board_text board;

	if ((s->pid != 0 && pid != s->pid) || read_board(s, &board, text) != 0)
		return 0;
	add_board(sheet, s->pid != 0 ? SHEET_BATCH : SHEET_ENTRY, &board);
	while (s->pid != 0 && sheet->count > 0 &&
	    (board.rest = take_board_line(board.rest, "run", job, JOB_FIELDS)) != NULL)
		add_job(sheet, job);
	return s->pid != 0 && sheet->count > 0;
}

int
boards_read(struct subject *subject, pid_t pid)
{
	struct search s = {.subject = subject, .pid = pid};

	subject->trouble = 0;
	if (boards_each(read_one, &s) < 0)
		subject->trouble = errno;
	return subject->sheet.count > 0 || subject->trouble != 0;
}

void
boards_complain(int error)
{
	char place[BOARD_PLACE];

	boards_place(place);
	errno = error;
	if (error == EPERM)
		complain("%s: must be a directory of yours where nobody else may write", place);
	else
		complain("%s: cannot show all that runs:", place);
}
