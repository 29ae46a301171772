#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tokstat.h"

enum { WORDS = 4096 /* bytes of a command */, LINK = 512 };

/* A line, its lease, and the oldest process that has that. */
struct sought {
	struct line *line;
	struct stat lease;
	pid_t pid;
	unsigned long long start;
};

struct search {
	struct sought *list;
	size_t count, room;
	int dir;
};

static int
is_sought(const struct line *line)
{
	long pid = sheet_number(line->field[ROW_PID]);

	return line->kind == SHEET_RUN ? *sheet_command(line) == '\0'
	    : line->kind == SHEET_HOLDER && (pid <= 0 || *sheet_command(line) == '\0' ||
	    (kill((pid_t)pid, 0) != 0 && errno == ESRCH));
}

static int
take_name(void *context, const struct name *name)
{
	struct search *s = context;

	for (struct sought *one = s->list; one < s->list + s->count; one++)
		if ((name->kind == NAME_HOLDER || name->kind == NAME_LEASE) &&
		    sheet_number(one->line->field[ROW_SLOT]) == name->slot)
			fstatat(s->dir, name->text, &one->lease, AT_SYMLINK_NOFOLLOW);
	return name->kind == NAME_WAITER; /* there may be many, and all leases come before them */
}

/* A descriptor of a process. Its name tells whether a look is worth it: one at a file on another
   machine may take for ever. */
static void
look_at_descriptor(struct search *s, pid_t pid, int fds, const char *fd)
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

/* The dispenser has all leases open. */
static void
look_at_processes(struct search *s, pid_t dispenser)
{
	DIR *proc = opendir("/proc"), *fds;
	const struct dirent *entry, *fd;
	char path[64];
	long pid;

	while (proc != NULL && (entry = readdir(proc)) != NULL) {
		pid = strtol(entry->d_name, NULL, 10);
		snprintf(path, sizeof path, "/proc/%ld/fd", pid);
		if (pid <= 0 || pid == (long)dispenser || pid == (long)getpid() ||
		    (fds = opendir(path)) == NULL)
			continue;
		while ((fd = readdir(fds)) != NULL)
			if (fd->d_name[0] != '.')
				look_at_descriptor(s, (pid_t)pid, dirfd(fds), fd->d_name);
		closedir(fds);
	}
	if (proc != NULL)
		closedir(proc);
}

char *
behind_words(long pid)
{
	char words[WORDS];
	ssize_t n = pid <= 0 || pid > INT_MAX ? -1
	    : family_words((pid_t)pid, words, sizeof words);
	struct outbox text = {0};

	for (char *p = words; n > 0 && p < words + n; p += strlen(p) + 1) {
		if (p > words)
			outbox_add(&text, " ", 1);
		quote_word(&text, p, strlen(p));
	}
	if (n > 0)
		outbox_add(&text, "", 1);
	return outbox_whole(&text);
}

void
behind_find(struct sheet *sheet, const char *path)
{
	struct search s = {.list = NULL};
	char name[WORDS], dispenser[32], *words;

	for (struct line *line = sheet->list; line < sheet->list + sheet->count; line++)
		if (is_sought(line)) {
			s.list = need_memory(room_for(s.list, &s.room, s.count + 1,
			    sizeof *s.list));
			s.list[s.count++] = (struct sought){.line = line};
		}
	snprintf(name, sizeof name, "%.4000s.d", path);
	if (s.count == 0 || (s.dir = open(name, O_RDONLY | O_CLOEXEC | O_DIRECTORY)) < 0) {
		free(s.list);
		return;
	}
	names_each(s.dir, take_name, &s);
	close(s.dir);
	snprintf(name, sizeof name, "%.4000s.d/lock", path);
	peek(name, dispenser, sizeof dispenser);
	look_at_processes(&s, (pid_t)strtol(dispenser, NULL, 10));
	for (struct sought *one = s.list; one < s.list + s.count; one++) {
		struct line *line = one->line;

		if ((words = behind_words(one->pid)) == NULL)
			continue;
		line->left_behind = line->kind == SHEET_HOLDER && *sheet_command(line) != '\0' &&
		    sheet_number(line->field[ROW_PID]) > 0;
		snprintf(name, sizeof name, "%ld", (long)one->pid);
		sheet_change(line, ROW_PID, name);
		sheet_change(line, line->kind == SHEET_RUN ? RUN_COMMAND : HOLDER_COMMAND, words);
		free(words);
	}
	free(s.list);
}
