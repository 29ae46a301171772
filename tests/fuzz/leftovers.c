/*
 * Names of any kind that jobkeep finds in the directory of a killed keeper. The input is lines: p,
 * f, d or l for a FIFO, a file, a directory, a symbolic link, and the name. The FIFOs of
 * connections are removed, and nothing else is; no name has a number above the highest.
 */
#include <sys/stat.h>

#include <poll.h>

static int
no_pause(struct pollfd *fds, nfds_t count, int ms)
{
	(void)fds;
	(void)count;
	(void)ms;
	return 0;
}

#include "../../src/lib/lib.h"

enum { MOST_KEPT = 20000 };
static int kept[MOST_KEPT];
static int count_kept;

/* What release() has left open. */
static int
fifo_kept(int dir, const char *name, int flags)
{
	int fd = fifo_open(dir, name, flags);

	if (count_kept < MOST_KEPT)
		kept[count_kept++] = fd;
	return fd;
}

#define poll no_pause
#define fifo_open fifo_kept
#include "../../src/jobkeep/restart.c"
#undef poll
#undef fifo_open

#include "ground.h"

/* The number of "N.in" or "N.out", or 0. */
static long
number_of(const char *name)
{
	size_t digits = strspn(name, "0123456789");
	long number = strtol(name, NULL, 10);

	if (digits == 0 || number == LONG_MAX)
		return 0;
	return strcmp(name + digits, ".in") == 0 || strcmp(name + digits, ".out") == 0 ? number : 0;
}

static void
make(int dir, char kind, const char *name)
{
	int fd;

	if (*name == '\0' || strchr(name, '/') != NULL)
		return;
	switch (kind) {
	case 'p': mkfifoat(dir, name, 0600); break;
	case 'd': mkdirat(dir, name, 0700); break;
	case 'l': symlinkat("../outside", dir, name); break;
	case 'f':
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (fd >= 0)
			close(fd);
		break;
	default: break;
	}
}

static int
is_there(int dir, const char *name, int *fifo)
{
	struct stat st;

	if (*name == '\0' || strchr(name, '/') != NULL || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	*fifo = S_ISFIFO(st.st_mode);
	return 1;
}

/* For each line, whether the name was there, is still, and should be. */
static void
run(int dir, char *script, size_t size)
{
	char *text = malloc(size + 1), *rest, *line, there[4096];
	size_t i = 0;
	long highest = 0, found;
	int fifo;

	memcpy(text, script, size + 1);
	for (rest = text; (line = line_next(&rest)) != NULL;)
		if (*line != '\0')
			make(dir, *line, line + 1);
	memcpy(text, script, size + 1);
	for (rest = text; (line = line_next(&rest)) != NULL; i++)
		if ((there[i % sizeof there] = *line != '\0' && is_there(dir, line + 1, &fifo)) != 0) {
			found = number_of(line + 1);
			highest = found > highest ? found : highest;
			there[i % sizeof there] += fifo && found > 0;
		}
	if ((found = release(".", 0)) != highest)
		wrong("%ld is the highest number, not %ld", highest, found);
	for (i = 0, rest = script; i < sizeof there && (line = line_next(&rest)) != NULL; i++)
		if (there[i] > 0 && is_there(dir, line + 1, &fifo) != (there[i] == 1))
			wrong(there[i] == 1 ? "'%s' is gone" : "'%s' is there still", line + 1);
	free(text);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *script = ground_text(data, size);
	int before, dir;

	ground_anew();
	before = ground_descriptors();
	ground_write("outside", "", 0);
	if (mkdir("keep", 0700) != 0 || (dir = open("keep", O_RDONLY | O_DIRECTORY)) < 0)
		wrong("no directory");
	run(dir, script, strlen(script));
	close(dir);
	while (count_kept > 0)
		close(kept[--count_kept]);
	free(script);
	if (ground_descriptors() != before)
		wrong("descriptors are left open");
	end_session(0);
	end_session(1);
	return 0;
}
