#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tokstat.h"

enum {
	ANSWER = 500, /* ms that a dispenser has, to be listed with its figures */
	LINE = 8192   /* bytes of a line of a report, or less: labels and a command */
};

/* The fields of the three kinds of lines of a board, with its first word. */
enum { HEAD_WORD, HEAD_KIND, HEAD_PID, HEAD_BESIDE, HEAD_PATH, HEAD_TEXT, HEAD_FIELDS };
enum { STATE_WORD, STATE_SLOTS, STATE_RUNNING, STATE_TOTAL, STATE_DONE, STATE_FAILED, STATE_START,
	STATE_FIELDS };
enum { JOB_WORD, JOB_SLOT, JOB_ID, JOB_TRY, JOB_PID, JOB_START, JOB_LABEL, JOB_COMMAND,
	JOB_FIELDS };

/* What is looked for: the board of that process, or of its shell; pid 0: all. */
struct search {
	struct subject *subject;
	pid_t pid;
	const char *lock;                /* the file that says so, or NULL */
	long start;                      /* when the one that was found began */
	const char *head[HEAD_FIELDS];   /* of the board that is read ... */
	const char *state[STATE_FIELDS]; /* "-" if it says nothing of its jobs yet */
	char *rest;                      /* the lines of jobs */
};

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
read_board(struct search *s, char *text)
{
	if (text == NULL)
		s->subject->trouble = errno;
	for (int i = 0; i < STATE_FIELDS; i++)
		s->state[i] = "-";
	s->rest = text == NULL ? NULL : take_board_line(text, "jobctl", s->head, HEAD_FIELDS);
	if (s->rest != NULL && strncmp(s->rest, "batch\t", 6) == 0)
		s->rest = take_board_line(s->rest, "batch", s->state, STATE_FIELDS);
	return s->rest == NULL ? -1 : 0;
}

/* 1 if the board that is read is of the dispenser with that lock, or if anyone is sought. */
static int
has_lock(const struct search *s)
{
	char name[PATH_MAX];
	struct stat own, other;

	return s->lock == NULL || ((size_t)snprintf(name, sizeof name, "%s.d/lock",
	    s->head[HEAD_PATH]) < sizeof name && stat(name, &own) == 0 &&
	    stat(s->lock, &other) == 0 && descriptors_same(&own, &other));
}

/* A shell may have several: those of its own pid are looked for to the end. */
static int
find_board(void *context, pid_t pid, char *text)
{
	struct search *s = context;
	const char *path;
	long start;

	if (read_board(s, text) != 0 || !has_lock(s) ||
	    (pid != s->pid && sheet_number(s->head[HEAD_BESIDE]) != (long)s->pid))
		return 0;
	start = sheet_number(s->state[STATE_START]);
	if (s->subject->pid != 0 && pid != s->pid && start < s->start)
		return 0;
	s->start = start;
	path = s->head[HEAD_PATH];
	free(s->subject->path);
	s->subject->path = strcmp(path, "-") == 0 ? NULL : need_memory(strdup(path));
	s->subject->kind = strcmp(s->head[HEAD_KIND], "pool") == 0 ? SUBJECT_POOL : SUBJECT_BATCH;
	s->subject->pid = pid;
	return pid == s->pid;
}

/* A field for that many ms; -1: "-". */
static const char *
seconds_text(char text[HUMAN], long long ms)
{
	if (ms < 0)
		return "-";
	snprintf(text, HUMAN, "%lld.%03lld", ms / 1000, ms % 1000);
	return text;
}

/* The time since that, in ms; -1: not known. */
static long long
since_ms(const char *start)
{
	long began = sheet_number(start);
	long long now = clock_epoch();

	return began < 0 ? -1 : began > now ? 0 : now - began;
}

static void
add_job(struct sheet *sheet, const char *const *job)
{
	char number[HUMAN], *words = *job[JOB_COMMAND] != '\0' ? NULL
	    : behind_words(sheet_number(job[JOB_PID]));
	const char *field[SHEET_FIELDS] = {
		[ROW_SLOT] = job[JOB_SLOT], [ROW_PID] = job[JOB_PID],
		[ROW_SECONDS] = seconds_text(number, since_ms(job[JOB_START])),
		[RUN_JOB] = job[JOB_ID], [RUN_TRY] = job[JOB_TRY], [RUN_LABEL] = job[JOB_LABEL],
		[RUN_COMMAND] = words != NULL ? words : job[JOB_COMMAND]};

	sheet_add(sheet, SHEET_RUN, field);
	free(words);
}

/* If the board does not say its command, that is how the shell, or the process with the board, was
   called. */
static void
add_board(const struct search *s, enum sheet_kind kind)
{
	const char *const *head = s->head, *const *state = s->state;
	long long ms = since_ms(state[STATE_START]);
	long done = sheet_number(state[STATE_DONE]), total = sheet_number(state[STATE_TOTAL]),
	     shell = sheet_number(head[HEAD_BESIDE]);
	char spent[HUMAN], left[HUMAN], *words = NULL;
	const char *field[SHEET_FIELDS] = {
		[BATCH_PID] = head[HEAD_PID], [BATCH_KIND] = head[HEAD_KIND],
		[BATCH_PATH] = head[HEAD_PATH], [BATCH_SLOTS] = state[STATE_SLOTS],
		[BATCH_RUNNING] = state[STATE_RUNNING], [BATCH_TOTAL] = state[STATE_TOTAL],
		[BATCH_DONE] = state[STATE_DONE], [BATCH_FAILED] = state[STATE_FAILED],
		[BATCH_SECONDS] = seconds_text(spent, ms),
		[BATCH_LEFT] = seconds_text(left, done < 0 || total < 0 ? -1
		    : human_left_ms(ms, done, total - done)),
		[BATCH_COMMAND] = head[HEAD_TEXT]};

	if (*head[HEAD_TEXT] == '\0' &&
	    (words = behind_words(shell > 0 ? shell : sheet_number(head[HEAD_PID]))) != NULL)
		field[BATCH_COMMAND] = words;
	if (kind == SHEET_ENTRY) {
		field[ENTRY_SECONDS] = field[BATCH_SECONDS]; /* before its index is taken */
		field[ENTRY_TOTAL] = field[BATCH_TOTAL];
		field[ENTRY_WAITING] = "-";
	}
	sheet_add(&s->subject->sheet, kind, field);
	free(words);
}

static int
take_board(void *context, pid_t pid, char *text)
{
	struct search *s = context;
	struct sheet *sheet = &s->subject->sheet;
	const char *job[JOB_FIELDS];

	if ((s->pid != 0 && pid != s->pid) || read_board(s, text) != 0)
		return 0;
	add_board(s, s->pid != 0 ? SHEET_BATCH : SHEET_ENTRY);
	while (s->pid != 0 && sheet->count > 0 &&
	    (s->rest = take_board_line(s->rest, "run", job, JOB_FIELDS)) != NULL)
		add_job(sheet, job);
	return s->pid != 0 && sheet->count > 0;
}

/* Looks at all boards of this user. */
static void
read_boards(struct subject *subject, pid_t pid, const char *lock,
    int (*each)(void *, pid_t, char *))
{
	struct search s = {.subject = subject, .pid = pid, .lock = lock};

	if (boards_each(each, &s) < 0)
		subject->trouble = errno;
}

void
subject_complain(const struct subject *s)
{
	char place[BOARD_PLACE];

	boards_place(place);
	errno = s->trouble;
	if (s->trouble == EPERM)
		complain("%s: must be a directory of yours where nobody else may write", place);
	else
		complain("%s: cannot show all that runs:", place);
}

/* A directory is that of a batch, or of a pool: P.d stands for P. Its lock tells the process. */
void
subject_open(struct subject *s, const char *operand)
{
	static const char *const place[] = {".d", "", "/fifo.d"};
	struct stat st = {.st_mode = 0};
	char name[PATH_MAX], lock[32] = "";
	long pid = 0;

	*s = (struct subject){.kind = operand == NULL ? SUBJECT_ALL : SUBJECT_POOL};
	if (operand == NULL)
		return;
	if (stat(operand, &st) != 0)
		(void)number_scan(operand, 1, INT_MAX, &pid);
	for (size_t i = 0; pid == 0 && *lock == '\0' && i < sizeof place / sizeof *place; i++)
		if (snprintf(name, sizeof name, "%s%s/lock", operand, place[i]) <
		    (int)sizeof name && peek(name, lock, sizeof lock) > 0)
			pid = strtol(lock, NULL, 10);
	if (pid > 0)
		read_boards(s, (pid_t)pid, *lock != '\0' ? name : NULL, find_board);
	if (s->pid != 0)
		return;
	if (s->trouble != 0 && !S_ISFIFO(st.st_mode)) {
		subject_complain(s);
		exit(STATUS_TROUBLE);
	}
	if (S_ISDIR(st.st_mode))
		fail(STATUS_TROUBLE, "%s: is a directory: give the path of a FIFO, such as "
		    "%s/tokens, or the directory of a batch that runs", operand, operand);
	if (pid > 0 && *lock == '\0')
		fail(STATUS_GONE, "no batch of process %s: give the pid of jobctl, of the script "
		    "that has the batch, or of its tokend", operand);
	s->path = need_memory(strdup(operand));
}

/* Takes lines of a report until its end: 1; 0: nothing came until that time (clock.c), or, if there
   is more of it, for as long as any answer may take; -1 after a line, *said, that is none. The pool
   is first, and once. */
static int
take_report(struct sheet *sheet, struct asking *asking, long long until, char said[LINE])
{
	const struct line *line;
	int came;

	while ((came = asking_line(asking, said, LINE, until)) == 1) {
		if (strcmp(said, "end") == 0 && sheet->count > 0)
			return 1;
		line = sheet_take(sheet, said);
		if (line == NULL || line->kind < SHEET_POOL ||
		    (line == sheet->list) != (line->kind == SHEET_POOL))
			return -1;
		until = inlet_soon();
	}
	if (came < 0)
		strcpy(said, "again");
	return came;
}

/* Reads a report of that many commands, or with rows -1 of all there is (report.c): 1; 0: not until
   that time, or it is quiet, and there is none. Else exits with a message. */
static int
read_report(struct sheet *sheet, const char *path, long rows, long long until, int quiet)
{
	struct asking asking = {0};
	char said[LINE] = "";
	int got;

	if (asking_open(&asking, path) != 0)
		fail(STATUS_GONE, "%s: no tokend runs there", path);
	if (rows >= 0)
		snprintf(said, sizeof said, "%ld", rows);
	if (asking_send(&asking, "stat", said, until) == 0)
		got = take_report(sheet, &asking, until, said);
	else {
		got = errno == ETIMEDOUT ? 0 : -1;
		strcpy(said, "again");
	}
	asking_close(&asking);
	if (got >= 0 || quiet)
		return got > 0;
	if (strcmp(said, "again") == 0 || strcmp(said, "no again") == 0)
		fail(STATUS_GONE, "%s: its tokend went away", path);
	fail(STATUS_TROUBLE, strcmp(said, "no room") == 0 ? "%s: too many ask there"
	    : strncmp(said, "no ", 3) == 0 ? "%s: its tokend serves one script only"
	    : "%s: it is no tokend that answers, or one of an older version", path);
	return 0;
}

/* Adds the figures of a pool, which its board does not say. */
static void
add_figures(struct line *entry)
{
	struct sheet sheet = {0};
	const char *path = entry->field[ENTRY_PATH];
	int fd = fifo_open(AT_FDCWD, path, O_WRONLY);

	if (fd >= 0 && close(fd) == 0 && read_report(&sheet, path, 0, clock_now() + ANSWER, 1)) {
		sheet_change(entry, ENTRY_SIZE, sheet.list->field[POOL_TOKENS]);
		sheet_change(entry, ENTRY_RUNNING, sheet.list->field[POOL_OUT]);
		sheet_change(entry, ENTRY_WAITING, sheet.list->field[POOL_WAITING]);
	}
	sheet_drop(&sheet);
}

void
subject_read(struct subject *s, long rows)
{
	struct sheet before = s->sheet;

	s->sheet = (struct sheet){0};
	s->trouble = 0;
	if (s->kind == SUBJECT_POOL)
		s->late = !read_report(&s->sheet, s->path, rows, inlet_soon(), 0);
	else
		read_boards(s, s->pid, NULL, take_board);
	s->over = s->kind == SUBJECT_BATCH && s->sheet.count == 0 && s->trouble == 0;
	for (size_t i = 0; s->kind == SUBJECT_ALL && i < s->sheet.count; i++)
		if (strcmp(s->sheet.list[i].field[ENTRY_KIND], "pool") == 0)
			add_figures(s->sheet.list + i);
	if (s->sheet.count == 0 && (s->late || s->over || s->trouble != 0)) {
		s->sheet = before;
		return;
	}
	sheet_drop(&before);
	if (s->path != NULL)
		behind_find(&s->sheet, s->path);
}

void
subject_say_end(const struct subject *s)
{
	struct outbox state = {0};

	if (s->sheet.count > 0)
		view_state(&state, s->sheet.list);
	complain("the batch of process %ld has ended%s%s", (long)s->pid, s->sheet.count > 0
	    ? "; when last seen: " : "", outbox_text(&state));
	outbox_drop(&state);
}
