#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lease/names.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/family.h"
#include "../lib/outbox.h"
#include "../lib/room.h"
#include "commands.h"
#include "leavers.h"
#include "sheet.h"

enum {
	KEPT = 5000,  /* ms */
	DEPTH = 4,    /* programs, each the only child of the one before, that are ours */
	SLACK = 2000, /* ms that a process may be younger than its token */
	MANY = 256    /* lines: with more, one that has moved is looked up anew */
};

/* Of a line, and until when that is good. */
struct known {
	enum sheet_kind kind;
	long long number, pid, job;
	char *command;
	pid_t runner;
	int left_behind;
	char *left_pool;
	int sought;           /* a search of this time is to tell */
	long long until;
};

/* The leases of slots of which nobody knows the holder. */
struct leases {
	struct sought *list;
	size_t count, room;
	int dir;
	const struct sheet *sheet;
	const struct known *known; /* of its lines */
};

/* The fields of lines that have a command. */
static const struct fields {
	int number, pid, seconds;
} fields[] = {
    [SHEET_BUILD] = {BUILD_SLOT, BUILD_PID, BUILD_SECONDS},
    [SHEET_SLOT] = {SLOT_NUMBER, SLOT_PID, SLOT_SECONDS},
    [SHEET_WAIT] = {WAIT_PLACE, WAIT_PID, WAIT_SECONDS},
    [SHEET_RUN] = {RUN_SLOT, RUN_PID, RUN_SECONDS},
};

static long long
number_of(const struct line *line)
{
	return sheet_number(line, fields[line->kind].number);
}

static long long
pid_of(const struct line *line)
{
	return sheet_number(line, fields[line->kind].pid);
}

/* A waiter moves ahead, and stays who it is. */
static int
is_same(const struct known *known, const struct line *line)
{
	return known->kind == line->kind && known->pid == pid_of(line) &&
	    (line->kind == SHEET_WAIT || known->number == number_of(line)) &&
	    (line->kind != SHEET_RUN || known->job == sheet_number(line, RUN_JOB));
}

/* The entry of that line, at that place or elsewhere; or NULL. */
static struct known *
recall(const struct commands *c, const struct line *line, size_t at)
{
	if (at < c->count && is_same(c->known + at, line))
		return c->known + at;
	for (size_t i = 0; c->count <= MANY && i < c->count; i++)
		if (is_same(c->known + i, line))
			return c->known + i;
	return NULL;
}

static int
is_program(const char *words, const char *name)
{
	size_t length = strcspn(words, " "), last = strlen(name);

	return length >= last && strncmp(words + length - last, name, last) == 0 &&
	    (length == last || words[length - last - 1] == '/');
}

/* Programs that only stay beside what runs. */
static int
is_ours(const char *words, const char *shell)
{
	return is_program(words, "tokget") || is_program(words, "jobend") ||
	    (*shell != '\0' && strcmp(words, shell) == 0);
}

/* The arguments of a process, for free(3); NULL where it has ended, or is unknown: *state. */
static char *
words_of(struct commands *c, pid_t pid, int *state)
{
	struct outbox text = {0};

	*state = pid <= 0 ? 0 : running_command(&c->running, pid, &text, ' ');
	outbox_text(&text);
	if (*state == 1)
		return outbox_whole(&text);
	outbox_drop(&text);
	return NULL;
}

/* Finds the command under that process: 1; 0 when there is no such process, or -1. */
static int
enter(struct commands *c, struct line *line, pid_t pid)
{
	int state, there;
	char *shell = words_of(c, c->shell, &there), *words = words_of(c, pid, &state), *below;
	pid_t child;

	for (int depth = 0; words != NULL && depth < DEPTH && is_ours(words, shell ? shell : "");
	    depth++) {
		child = running_child(&c->running, pid);
		if (child == 0 || (below = words_of(c, child, &there)) == NULL)
			break;
		free(words);
		words = below;
		pid = child;
	}
	free(shell);
	if (words == NULL)
		return state;
	free(line->command);
	line->command = words;
	line->runner = pid;
	return 1;
}

/* Another process may have that pid by now: one that began long after it got the token. */
static int
is_later(const struct line *line, pid_t pid)
{
	long long age = running_age_ms(pid);

	return age >= 0 && age + SLACK < sheet_ms(line, fields[line->kind].seconds);
}

/* Looks it up: 1 when a search is to tell. */
static int
look(struct commands *c, struct line *line)
{
	pid_t pid = (pid_t)pid_of(line);

	if (line->kind == SHEET_WAIT) {
		int state;

		line->command = words_of(c, pid, &state);
		line->runner = line->command != NULL ? pid : 0;
		return 0;
	}
	if (pid > 0 && !(sheet_leased(line) && is_later(line, pid)) && enter(c, line, pid) != 0)
		return 0;
	return line->kind != SHEET_SLOT || strcmp(line->field[SLOT_STATE], "out") == 0;
}

static int
wants(const struct line *line)
{
	switch (line->kind) {
	case SHEET_SLOT: return line->field[SLOT_STATE][0] == 'o'; /* out, offered */
	case SHEET_RUN: return line->command == NULL;
	case SHEET_BUILD:
	case SHEET_WAIT: return 1;
	default: return 0;
	}
}

static void
add_lease(struct leases *leases, struct line *line, const char *name)
{
	struct stat st;

	leases->list = need_memory(room_for(leases->list, &leases->room, leases->count + 1,
	    sizeof *leases->list));
	if (fstatat(leases->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		leases->list[leases->count++] = (struct sought){.dev = st.st_dev, .ino = st.st_ino,
		    .line = line};
}

/* A lease of a slot that is wanted. */
static int
take_name(void *context, const struct name *name)
{
	struct leases *leases = context;
	long slot = name->kind == NAME_SHARED ? 0 : name->slot;

	if (name->kind == NAME_WAITER)
		return 1; /* there may be many, and all leases come before them */
	if (name->kind != NAME_HOLDER && name->kind != NAME_TOKEN && name->kind != NAME_LEASE &&
	    name->kind != NAME_SHARED)
		return 0;
	for (size_t i = 0; i < leases->sheet->count; i++)
		if (leases->known[i].sought && number_of(leases->sheet->list + i) == slot)
			add_lease(leases, leases->sheet->list + i, name->text);
	return 0;
}

/* The dispenser has them all open. */
static pid_t
dispenser_of(int dir)
{
	char text[32] = "";
	int fd = openat(dir, "lock", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	descriptors_close(&fd);
	return n <= 0 ? 0 : (pid_t)strtol(text, NULL, 10);
}

/* Finds who has the leases open of which a search is to tell. */
static void
seek(struct commands *c, const struct sheet *sheet, const struct known *known)
{
	struct leases leases = {.sheet = sheet, .known = known};
	struct outbox path = {0};

	outbox_say(&path, "%s.d", c->fifo);
	leases.dir = open(outbox_text(&path), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	outbox_drop(&path);
	if (leases.dir < 0)
		return;
	names_each(leases.dir, take_name, &leases);
	running_search(&c->running, leases.list, leases.count, dispenser_of(leases.dir));
	close(leases.dir);
	for (size_t i = 0; i < leases.count; i++) {
		struct line *line = leases.list[i].line;

		if (leases.list[i].pid != 0 && enter(c, line, leases.list[i].pid) == 1)
			line->left_behind = sheet_leased(line) && pid_of(line) > 0;
	}
	free(leases.list);
}

/* Looks for builds that have left the pool, where that is not known. */
static void
find_leavers(struct commands *c, struct sheet *sheet, const struct known *known)
{
	struct family all = {0};

	for (size_t i = 0; i < sheet->count; i++) {
		struct line *line = sheet->list + i;

		if (line->kind != SHEET_BUILD || known[i].until != 0 || line->runner == 0)
			continue;
		if (all.count == 0 && family_read(&all) != 0)
			break;
		line->left_pool = leavers_find(&c->running, &all, line->runner);
	}
	free(all.list);
}

/* A tokget may become the program that it was given. */
static long long
good_until(const struct commands *c, const struct line *line, int sought)
{
	if (sought)
		return c->running.next;
	return line->command == NULL || is_program(line->command, "tokget") ? 0
	    : clock_now() + KEPT;
}

static void
copy(struct line *line, const struct known *known)
{
	if (known->command != NULL)
		sheet_command(line, known->command);
	line->runner = known->runner;
	line->left_behind = known->left_behind;
	if (known->left_pool != NULL)
		line->left_pool = need_memory(strdup(known->left_pool));
}

/* Takes what is known of the line as good, or looks it up. */
static void
find(struct commands *c, struct line *line, size_t at, struct known *now)
{
	const struct known *before = recall(c, line, at);

	*now = (struct known){.kind = line->kind, .number = number_of(line), .pid = pid_of(line),
	    .job = line->kind == SHEET_RUN ? sheet_number(line, RUN_JOB) : 0};
	if (before != NULL && clock_now() < before->until) {
		copy(line, before);
		now->until = before->until;
	} else if (look(c, line)) {
		now->sought = running_due(&c->running);
		now->until = now->sought ? 0 : c->running.next;
	}
}

static void
forget(struct commands *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->known[i].command);
		free(c->known[i].left_pool);
	}
	free(c->known);
	c->known = NULL;
	c->count = 0;
}

/* Keeps for each line what is known of it from now on. */
static void
keep(struct commands *c, const struct sheet *sheet, struct known *known)
{
	forget(c);
	c->known = known;
	c->count = sheet->count;
	for (size_t i = 0; i < sheet->count; i++) {
		const struct line *line = sheet->list + i;

		if (line->command != NULL)
			known[i].command = need_memory(strdup(line->command));
		known[i].runner = line->runner;
		known[i].left_behind = line->left_behind;
		if (line->left_pool != NULL)
			known[i].left_pool = need_memory(strdup(line->left_pool));
		if (known[i].until == 0)
			known[i].until = good_until(c, line, known[i].sought);
	}
}

void
commands_find(struct commands *c, struct sheet *sheet)
{
	struct known *known = need_memory(calloc(sheet->count + 1, sizeof *known));
	int any = 0;

	for (size_t i = 0; i < sheet->count; i++) {
		if (wants(sheet->list + i))
			find(c, sheet->list + i, i, known + i);
		any |= known[i].sought;
	}
	if (any && c->fifo != NULL)
		seek(c, sheet, known);
	find_leavers(c, sheet, known);
	keep(c, sheet, known);
}

void
commands_drop(struct commands *c)
{
	forget(c);
	running_drop(&c->running);
}
