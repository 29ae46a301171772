#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/fifo.h"
#include "../lib/number.h"
#include "../lib/outbox.h"
#include "../lib/status.h"
#include "../tools/asking.h"
#include "tokstat.h"

enum {
	ANSWER = 500, /* ms that a dispenser has, to be listed with its figures */
	LINE = 8192   /* bytes of a line of a report, or less: labels and a command */
};

/* A directory is that of a batch, or of a pool: P.d stands for P. */
void
subject_open(struct subject *s, const char *operand)
{
	struct stat st;
	long pid;

	*s = (struct subject){.kind = operand == NULL ? SUBJECT_ALL : SUBJECT_POOL};
	if (operand == NULL)
		return;
	if (stat(operand, &st) == 0) {
		if (!boards_find(s, 0, operand) && S_ISDIR(st.st_mode) && s->trouble == 0)
			fail(STATUS_TROUBLE, "%s: is a directory: give the path of a FIFO, such as "
			    "%s/tokens, or the directory of a batch that runs", operand, operand);
		if (S_ISFIFO(st.st_mode))
			s->trouble = 0;
	} else if (number_scan(operand, 1, INT_MAX, &pid) == 0 &&
	    !boards_find(s, (pid_t)pid, NULL) && s->trouble == 0)
		fail(STATUS_GONE, "no batch of process %s: give the pid of jobctl, of the script "
		    "that has the batch, or of its tokend", operand);
	if (s->pid == 0 && s->trouble != 0) {
		boards_complain(s->trouble);
		exit(STATUS_TROUBLE);
	}
	if (s->pid == 0)
		s->path = need_memory(strdup(operand));
}

/* Takes lines of a report until its end: 1; 0: nothing came until that time (clock.h), or, if there
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
		if (line == NULL || line->kind > SHEET_WAIT ||
		    (line == sheet->list) != (line->kind == SHEET_POOL))
			return -1;
		until = inlet_soon();
	}
	if (came < 0)
		strcpy(said, "again");
	return came;
}

/* Reads a report of that many commands, or with rows -1 of all there is (report.h): 1; 0: not until
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
	switch (s->kind) {
	case SUBJECT_POOL:
		s->late = !read_report(&s->sheet, s->path, rows, inlet_soon(), 0);
		break;
	case SUBJECT_BATCH:
		s->over = !boards_read(s, s->pid);
		break;
	case SUBJECT_ALL:
		boards_read(s, 0);
		for (size_t i = 0; i < s->sheet.count; i++)
			if (strcmp(s->sheet.list[i].field[ENTRY_KIND], "pool") == 0)
				add_figures(s->sheet.list + i);
	}
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
