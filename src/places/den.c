#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "places.h"

int
den_make(struct den *den)
{
	const char *top = getenv("TMPDIR");
	int directory, writer = -1, reason;

	*den = (struct den){.alive = {-1, -1}, .here = -1};
	if (top == NULL || *top == '\0' || strlen(top) + sizeof "/jobctl-XXXXXX" > DEN_PATH)
		top = "/tmp";
	snprintf(den->path, sizeof den->path, "%s/jobctl-XXXXXX", top);
	if (mkdtemp(den->path) == NULL)
		return -1;
	directory = open(den->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory >= 0 &&
	    fifo_open_both(directory, "alive", &den->alive[0], &den->alive[1]) == 0 &&
	    fifo_open_both(directory, "here", &den->here, &writer) == 0) {
		close(writer);
		close(directory);
		return 0;
	}
	reason = errno;
	descriptors_close(&writer);
	descriptors_close(&directory);
	den_end(den, 0);
	errno = reason;
	return -1;
}

void
den_end(struct den *den, long long ms)
{
	long long until = clock_now() + ms;
	char byte;

	descriptors_close(&den->alive[1]);
	descriptors_close(&den->alive[0]);
	while (den->here >= 0 && read(den->here, &byte, 1) != 0 && clock_wait_ms(until) > 0)
		descriptors_poll(den->here, POLLIN, (int)clock_wait_ms(until));
	descriptors_close(&den->here);
	den_sweep(den->path);
}

int
den_enter(const char *path, int *alive, int *here)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*here = -1;
	*alive = directory < 0 ? -1 : fifo_open(directory, "alive", O_RDONLY | O_NOFOLLOW);
	if (*alive >= 0 && !den_over(*alive))
		*here = fifo_open(directory, "here", O_WRONLY | O_NOFOLLOW);
	if (*here < 0)
		descriptors_close(alive);
	descriptors_close(&directory);
	return *here < 0 ? -1 : 0;
}

int
den_over(int alive)
{
	char byte;

	return read(alive, &byte, 1) == 0;
}

/* The kind of a name: 's' a socket of a slot, 'm' one of ssh, 'f' another file of ours; 0: none. */
static char
kind_of(const char *name)
{
	static const char *const files[] = {"alive", "here", "logins", "fate", "lock", "log"};
	const char *rest = name + strspn(name, "0123456789.");

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (strcmp(rest, files[i]) == 0)
			return 'f';
	return *rest != '\0' || *name == '.' ? 0 : strchr(name, '.') == NULL ? 's' : 'm';
}

/* 1 when a session is there still. */
static int
is_used(DIR *list, const char *path)
{
	char name[PATH_MAX];
	struct dirent *entry;
	int fd = -1;

	while (fd < 0 && (entry = readdir(list)) != NULL) {
		snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
		if (kind_of(entry->d_name) == 's')
			fd = local_connect(name);
	}
	rewinddir(list);
	descriptors_close(&fd);
	return entry != NULL;
}

static void
end_master(char *path)
{
	char *argv[] = {"ssh", "-F", "/dev/null", "-S", path, "-O", "exit", "place", NULL};
	char text[8];

	command_answer(argv, text, sizeof text);
}

void
den_sweep(const char *path)
{
	DIR *list = opendir(path);
	char name[PATH_MAX];
	struct dirent *entry;
	int kind;

	if (list == NULL)
		return;
	if (!is_used(list, path)) {
		while ((entry = readdir(list)) != NULL) {
			if ((kind = kind_of(entry->d_name)) == 0)
				continue;
			snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
			if (kind == 'm')
				end_master(name);
			unlink(name);
		}
		rmdir(path);
	}
	closedir(list);
}
