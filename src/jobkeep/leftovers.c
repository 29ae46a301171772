#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/descriptors.h"
#include "../lib/family.h"
#include "../lib/fifo.h"
#include "../lib/number.h"
#include "../lib/room.h"
#include "leftovers.h"

enum {
	ROUNDS = 50, /* of a process that forks all the time */
	HELD = 100   /* ms: who has found the name, and is in open */
};

void
leftovers_end(pid_t session)
{
	struct family all = {0};
	int found = 1;

	for (int round = 0; round < ROUNDS && found > 0; round++) {
		if (session <= 1 || !family_ended(session))
			break;
		found = 0;
		family_read(&all);
		for (size_t i = 0; i < all.count; i++)
			if (all.list[i].pid > 1 && getsid(all.list[i].pid) == session &&
			    kill(all.list[i].pid, SIGKILL) == 0)
				found++;
		poll(NULL, 0, found > 0); /* they need a moment to go */
	}
	free(all.list);
}

/* N of N.in or N.out, or 0 */
static long
number_of(const char *name)
{
	char digits[16];
	const char *dot = strchr(name, '.');
	long number;

	if (dot == NULL || (size_t)(dot - name) >= sizeof digits ||
	    (strcmp(dot, ".in") != 0 && strcmp(dot, ".out") != 0))
		return 0;
	memcpy(digits, name, (size_t)(dot - name));
	digits[dot - name] = '\0';
	return number_scan(digits, 1, LONG_MAX - 1, &number) == 0 ? number : 0;
}

static int
is_fifo(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISFIFO(st.st_mode);
}

/* A process that waits for an open of either end goes on then. Without memory to remember an end,
   we close it at once. */
static void
open_both(int dir, const char *name, int **ends, size_t *room, size_t *count)
{
	int *bigger = room_for(*ends, room, *count + 2, sizeof *bigger);
	int reader = fifo_open(dir, name, O_RDONLY | O_NOFOLLOW);
	int writer = fifo_open(dir, name, O_WRONLY | O_NOFOLLOW);

	unlinkat(dir, name, 0);
	if (bigger != NULL) {
		*ends = bigger;
		bigger[(*count)++] = reader;
		bigger[(*count)++] = writer;
		return;
	}
	close(reader);
	close(writer);
}

/* Both ends stay open for a moment: somebody may have found the name and not be in open yet. */
static void
close_all(int *ends, size_t count)
{
	if (count > 0)
		poll(NULL, 0, HELD);
	for (size_t i = 0; i < count; i++)
		descriptors_close(&ends[i]);
}

long
leftovers_release(int dir)
{
	int *ends = NULL;
	struct dirent *entry;
	size_t count = 0, room = 0;
	long number, highest = 0;
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);

	if (list == NULL)
		return 0;
	while ((entry = readdir(list)) != NULL)
		if ((number = number_of(entry->d_name)) > 0) {
			if (is_fifo(dir, entry->d_name))
				open_both(dir, entry->d_name, &ends, &room, &count);
			highest = number > highest ? number : highest;
		}
	closedir(list);
	close_all(ends, count);
	free(ends);
	return highest;
}
