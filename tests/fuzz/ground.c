#define _XOPEN_SOURCE 700 /* nftw */
#include <sys/stat.h>

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/lib/lib.h"
#include "ground.h"
#define LEAVING_GROUND
#include "leaving.h"

enum { MOST = 8192, EACH = 16 /* questions in a ms */, HIGHEST = 128, START = 1000000 };

const char *program = "fuzz";
int (*complain_first)(const char *);

static char directory[1024];
static long long fake_ms = START;
static int asked, running;
static jmp_buf way_out;

/* Blocks that the source would leave to the system when it exits. */
static void *kept[MOST];
static size_t keeping;
static FILE *open_file;

void
wrong(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("wrong: ", stderr);
	vfprintf(stderr, format, args);
	putc('\n', stderr);
	va_end(args);
	abort();
}

static int
fake_time(clockid_t clock, struct timespec *time)
{
	(void)clock;
	if (++asked == EACH) {
		asked = 0;
		fake_ms++;
	}
	*time = clock_span(fake_ms);
	return 0;
}

#define clock_gettime fake_time
#include "../../src/lib/clock.c"

void
ground_clock(long long more)
{
	fake_ms += more;
}

void
ground_pass(const char *line)
{
	int n = line[1] >= '0' && line[1] <= '9' ? line[1] - '0' : 0;
	long long ms = 1;

	for (; n > 0 && ms < 100000; n--)
		ms *= 10;
	ground_clock(ms);
}

static void
say(const char *format, va_list args)
{
	char line[8192];

	vsnprintf(line, sizeof line, format, args);
	if (getenv("FUZZ_TALK") != NULL)
		fprintf(stderr, "%s\n", line);
}

void
complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void
fail(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	leave(status);
}

void *
need_memory(void *memory)
{
	if (memory == NULL)
		fail(125, "no memory");
	return memory;
}

void
need_descriptors(long need, long count, const char *what)
{
	if (need < count)
		wrong("%ld %s need %ld descriptors", count, what, need);
}

void
leave(int status)
{
	if (!running)
		wrong("an exit with %d where none is expected", status);
	longjmp(way_out, 1);
}

static int
left(void)
{
	while (keeping > 0)
		free(kept[--keeping]);
	if (open_file != NULL)
		fclose(open_file);
	open_file = NULL;
	return 1;
}

int
leaves(void (*run)(void *), void *context)
{
	keeping = 0;
	running = 1;
	if (setjmp(way_out) != 0) {
		running = 0;
		return left();
	}
	run(context);
	running = 0;
	return 0;
}

static void *
keep(void *block)
{
	if (block != NULL && keeping == MOST)
		wrong("more than %d blocks", MOST);
	if (block != NULL)
		kept[keeping++] = block;
	return block;
}

static void
let_go(const void *block)
{
	size_t i;

	for (i = keeping; i-- > 0;)
		if (kept[i] == block) {
			kept[i] = kept[--keeping];
			return;
		}
}

void *
leaving_malloc(size_t size)
{
	return keep(malloc(size));
}

void *
leaving_calloc(size_t count, size_t size)
{
	return keep(calloc(count, size));
}

void *
leaving_realloc(void *block, size_t size)
{
	let_go(block);
	return keep(realloc(block, size));
}

void
leaving_free(void *block)
{
	let_go(block);
	free(block);
}

FILE *
leaving_fopen(const char *path, const char *mode)
{
	return open_file = fopen(path, mode);
}

int
leaving_fclose(FILE *file)
{
	open_file = NULL;
	return fclose(file);
}

ssize_t
leaving_getline(char **line, size_t *room, FILE *file)
{
	ssize_t n;

	let_go(*line);
	n = getline(line, room, file);
	keep(*line);
	return n;
}

char *
leaving_strdup(const char *text)
{
	char *copy = strdup(text);

	keep(copy);
	return copy;
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	return at->level == 0 ? 0 : remove(path);
}

void
ground_empty(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void
remove_directory(void)
{
	if (chdir("/") == 0)
		ground_empty(directory);
	rmdir(directory);
}

void
ground_enter(void)
{
	const char *above = getenv("TMPDIR");

	fake_ms = START;
	asked = 0;
	signal(SIGPIPE, SIG_IGN);
	if (directory[0] != '\0')
		return;
	snprintf(directory, sizeof directory, "%.900s/fuzz.XXXXXX", above == NULL ? "/tmp" : above);
	if (mkdtemp(directory) == NULL || chdir(directory) != 0)
		wrong("%s: no directory", directory);
	atexit(remove_directory);
}

void
ground_anew(void)
{
	ground_enter();
	ground_empty(".");
}

void
ground_write(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) != 0)
		wrong("%s: cannot be written", path);
}

void
ground_shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int
ground_descriptors(void)
{
	int fd, n = 0;

	for (fd = 0; fd < HIGHEST; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

char *
ground_text(const unsigned char *data, size_t size)
{
	char *text = malloc(size + 1), *to = text;

	if (text == NULL)
		wrong("no memory");
	for (; size > 0; size--, data++)
		if (*data != '\0')
			*to++ = (char)*data;
	*to = '\0';
	return text;
}

char *
line_next(char **rest)
{
	char *line = *rest, *end;

	if (*line == '\0')
		return NULL;
	end = line + strcspn(line, "\n");
	*rest = end + (*end != '\0');
	*end = '\0';
	return line;
}
