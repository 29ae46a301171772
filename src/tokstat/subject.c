#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/fifo.h"
#include "../lib/number.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "../tools/inlet.h"
#include "batches.h"
#include "subject.h"
#include "view.h"

enum {
	ANSWER = 500, /* ms that a dispenser has, to be listed with its figures ... */
	MUTE = 10000, /* ... and for which one that had none is not asked again */
	HIGHEST_PID = 2147483647
};

struct mute {
	long long pid, until; /* clock.h */
};

/* Exits where it may be one of those that could not be read. */
static void
check(const struct found *found)
{
	if (found->trouble == 0)
		return;
	batches_complain(found->trouble);
	exit(STATUS_TROUBLE);
}

/* A directory is that of a batch, or of a pool: P.d stands for P. */
static struct found
find(const char *operand)
{
	struct found found = {0};
	struct stat st;
	long pid;

	if (stat(operand, &st) == 0) {
		found = batches_by_path(operand);
		if (S_ISDIR(st.st_mode))
			check(&found);
		if (S_ISDIR(st.st_mode) && found.pid == 0)
			fail(STATUS_TROUBLE, "%s: is a directory: give the path of a FIFO, such as "
			    "%s/tokens, or the directory of a batch that runs", operand, operand);
	} else if (number_scan(operand, 1, HIGHEST_PID, &pid) == 0) {
		found = batches_by_pid((pid_t)pid);
		check(&found);
		if (found.pid == 0)
			fail(STATUS_GONE, "no batch of process %s: give the pid of jobctl, of the "
			    "script that has the batch, or of its tokend", operand);
	}
	return found;
}

void
subject_open(struct subject *s, const char *operand)
{
	struct found found;

	*s = (struct subject){.kind = SUBJECT_ALL, .survey.sheet.rows = -1};
	if (operand == NULL)
		return;
	found = find(operand);
	s->kind = found.pid == 0 || found.pool ? SUBJECT_POOL : SUBJECT_BATCH;
	s->pid = found.pid;
	s->path = found.path;
	s->commands.fifo = found.pid == 0 ? operand : s->path;
	s->commands.shell = found.pool ? 0 : found.beside;
	s->fifo = s->kind == SUBJECT_POOL ? s->commands.fifo : NULL;
	s->survey.builds = 1;
}

static struct mute *
find_mute(const struct subject *s, long long pid)
{
	for (size_t i = 0; i < s->mute_count; i++)
		if (s->mutes[i].pid == pid)
			return s->mutes + i;
	return NULL;
}

/* How the asking went. */
static void
note_mute(struct subject *s, long long pid, int answered)
{
	struct mute *mute = find_mute(s, pid);

	if (mute == NULL && !answered) {
		s->mutes = need_memory(room_for(s->mutes, &s->mute_room, s->mute_count + 1,
		    sizeof *mute));
		mute = s->mutes + s->mute_count++;
	}
	if (mute != NULL)
		*mute = (struct mute){.pid = answered ? 0 : pid, .until = clock_now() + MUTE};
}

/* One that cannot be opened exits in survey_begin(), with a message. */
static int
can_ask(const char *fifo)
{
	int fd = fifo_open(AT_FDCWD, fifo, O_WRONLY), can = fd >= 0;

	descriptors_close(&fd);
	return can;
}

/* Its figures, if it answers in time: 1, and they are the survey's first line. */
static int
ask_pool(struct subject *s, struct survey *survey, const struct line *entry)
{
	const char *fifo = entry->field[ENTRY_PATH];
	long long pid = sheet_number(entry, ENTRY_PID);
	struct mute *mute = find_mute(s, pid);
	int answered = 0;

	if ((mute != NULL && clock_now() < mute->until) || !can_ask(fifo))
		return 0;
	if (survey_begin(survey, fifo, 0, 0) == SURVEY_WAITS)
		answered = survey_step(survey, clock_now() + ANSWER) == SURVEY_WHOLE;
	survey_end(survey);
	note_mute(s, pid, answered);
	return answered;
}

/* A dispenser's board says nothing but where it is: what it answers is added, and its age. */
static void
add_pool(struct subject *s, const struct line *entry)
{
	const char *field[SHEET_FIELDS], *const *pool;
	long long age = running_age_ms((pid_t)sheet_number(entry, ENTRY_PID));
	struct survey survey = {0};
	char seconds[SHEET_NUMBER];

	memcpy(field, entry->field, sizeof field);
	if (ask_pool(s, &survey, entry)) {
		pool = survey.sheet.list->field;
		field[ENTRY_SIZE] = pool[POOL_TOKENS];
		field[ENTRY_RUNNING] = pool[POOL_OUT];
		field[ENTRY_WAITING] = pool[POOL_WAITING];
	}
	field[ENTRY_SECONDS] = sheet_seconds(seconds, age);
	sheet_add(&s->survey.sheet, SHEET_ENTRY, field);
	sheet_drop(&survey.sheet);
}

static void
list_all(struct subject *s)
{
	struct sheet boards = {0};

	s->trouble = batches_list(&boards, &s->commands.running) == 0 ? 0 : errno;
	for (size_t i = 0; i < boards.count; i++)
		if (strcmp(boards.list[i].field[ENTRY_KIND], "pool") == 0)
			add_pool(s, boards.list + i);
		else
			sheet_add(&s->survey.sheet, SHEET_ENTRY, boards.list[i].field);
	sheet_drop(&boards);
}

enum survey_state
subject_begin(struct subject *s, long from, long count)
{
	if (s->kind == SUBJECT_POOL)
		return survey_begin(&s->survey, s->fifo, from, count);
	sheet_clear(&s->survey.sheet);
	return SURVEY_WAITS;
}

static void
read_batch(struct subject *s)
{
	int found = batches_read(s->pid, &s->survey.sheet, &s->commands.running);

	s->trouble = found < 0 ? errno : 0;
	s->over = found == 0;
	if (found <= 0)
		return;
	outbox_drop(&s->state);
	view_state(&s->state, &s->survey.sheet);
}

enum survey_state
subject_step(struct subject *s, long long until)
{
	switch (s->kind) {
	case SUBJECT_POOL: return survey_step(&s->survey, until);
	case SUBJECT_BATCH: read_batch(s); break;
	case SUBJECT_ALL: list_all(s); break;
	}
	return SURVEY_WHOLE;
}

void
subject_read(struct subject *s, int patient)
{
	enum survey_state state = subject_begin(s, 0, -1);
	size_t had;

	while (state == SURVEY_WAITS) {
		had = s->survey.sheet.count;
		state = subject_step(s, patient ? -1 : inlet_soon());
		if (state == SURVEY_WAITS && s->survey.sheet.count == had)
			state = SURVEY_LATE;
	}
	survey_check(s->fifo, state);
	commands_find(&s->commands, &s->survey.sheet);
}

void
subject_say_end(struct subject *s)
{
	complain("the batch of process %ld has ended; when last seen: %s", (long)s->pid,
	    outbox_text(&s->state));
}

void
subject_close(struct subject *s)
{
	survey_end(&s->survey);
	sheet_drop(&s->survey.sheet);
	commands_drop(&s->commands);
	outbox_drop(&s->state);
	free(s->path);
	free(s->mutes);
	s->mutes = NULL;
}
