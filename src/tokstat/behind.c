#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../book/quote.h"
#include "../lease/names.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/family.h"
#include "../lib/outbox.h"
#include "../lib/peek.h"
#include "../lib/room.h"
#include "tokstat.h"

enum { WORDS = 4096 /* bytes of a command */, LINK = 512 };

/* A lease, its line, and the oldest process that has it. */
struct sought {
	struct line *line;
	struct stat lease;
	pid_t pid;
	unsigned long long start;
};

struct search {
	struct sheet *sheet;
	int dir;
	struct sought *list;
	size_t count, room;
};

static int
is_sought(const struct line *line)
{
	long pid;

	if (line->kind == SHEET_RUN)
		return *sheet_command(line) == '\0';
	if (line->kind != SHEET_HOLDER)
		return 0;
	pid = sheet_number(line, ROW_PID);
	return pid <= 0 || *sheet_command(line) == '\0' ||
	    (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}

/* The lease of a slot that is sought. */
static int
take_name(void *context, const struct name *name)
{
	struct search *s = context;
	struct sought *one;

	if (name->kind == NAME_WAITER)
		return 1; /* there may be many, and all leases come before them */
	if (name->kind != NAME_HOLDER && name->kind != NAME_LEASE)
		return 0;
	for (struct line *line = s->sheet->list; line < s->sheet->list + s->sheet->count; line++) {
		if (!is_sought(line) || sheet_number(line, ROW_SLOT) != name->slot)
			continue;
		s->list = need_memory(room_for(s->list, &s->room, s->count + 1, sizeof *one));
		one = s->list + s->count;
		*one = (struct sought){.line = line};
		s->count += fstatat(s->dir, name->text, &one->lease, AT_SYMLINK_NOFOLLOW) == 0;
	}
	return 0;
}

/* A descriptor of a process. Its name tells whether a look is worth it: one at a file on another
   machine may take for ever. */
static void
look_at(struct search *s, pid_t pid, int fds, const char *fd)
{
	char link[LINK];
	ssize_t n = readlinkat(fds, fd, link, sizeof link - 1);
	unsigned long long start;
	struct stat st;

	link[n > 0 ? n : 0] = '\0';
	if (strstr(link, ".d/") == NULL || fstatat(fds, fd, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !(st.st_mode & S_IWUSR) || fstatat(fds, fd, &st, 0) != 0)
		return;
	for (struct sought *one = s->list; one < s->list + s->count; one++)
		if (descriptors_same(&one->lease, &st)) {
			start = family_start(pid);
			if (one->pid == 0 || start < one->start) {
				one->pid = pid;
				one->start = start;
			}
		}
}

static void
look_at_process(struct search *s, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
	if ((dir = opendir(path)) == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			look_at(s, pid, dirfd(dir), entry->d_name);
	closedir(dir);
}

/* The dispenser has all leases open. */
static void
look_at_all(struct search *s, pid_t dispenser)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	long pid;

	while (proc != NULL && (entry = readdir(proc)) != NULL) {
		pid = strtol(entry->d_name, NULL, 10);
		if (pid > 0 && pid != (long)dispenser && pid != (long)getpid())
			look_at_process(s, (pid_t)pid);
	}
	if (proc != NULL)
		closedir(proc);
}

char *
behind_words(pid_t pid)
{
	char words[WORDS];
	ssize_t n = pid <= 0 ? -1 : family_words(pid, words, sizeof words);
	struct outbox text = {0};

	for (char *p = words; n > 0 && p < words + n; p += strlen(p) + 1) {
		if (p > words)
			outbox_add(&text, " ", 1);
		quote_word(&text, p, strlen(p));
	}
	if (outbox_waits(&text) == 0)
		return NULL;
	outbox_text(&text);
	return outbox_whole(&text);
}

void
behind_find(struct sheet *sheet, const char *path)
{
	struct search s = {.sheet = sheet};
	char name[WORDS], dispenser[32], *words;
	size_t wanted = 0;

	for (size_t i = 0; i < sheet->count; i++)
		wanted += (size_t)is_sought(sheet->list + i);
	snprintf(name, sizeof name, "%.4000s.d", path);
	if (wanted == 0 || (s.dir = open(name, O_RDONLY | O_CLOEXEC | O_DIRECTORY)) < 0)
		return;
	names_each(s.dir, take_name, &s);
	close(s.dir);
	snprintf(name, sizeof name, "%.4000s.d/lock", path);
	peek(name, dispenser, sizeof dispenser);
	if (s.count > 0)
		look_at_all(&s, (pid_t)strtol(dispenser, NULL, 10));
	for (struct sought *one = s.list; one < s.list + s.count; one++) {
		if ((words = behind_words(one->pid)) == NULL)
			continue;
		one->line->left_behind = one->line->kind == SHEET_HOLDER &&
		    sheet_number(one->line, ROW_PID) > 0 && *sheet_command(one->line) != '\0';
		snprintf(name, sizeof name, "%ld", (long)one->pid);
		sheet_change(one->line, ROW_PID, name);
		sheet_change(one->line, one->line->kind == SHEET_RUN ? RUN_COMMAND
		    : HOLDER_COMMAND, words);
		free(words);
	}
	free(s.list);
}
