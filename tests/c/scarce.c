/* scarce -- linked to a program by --wrap, so that its allocations come here. Number $SCARCE fails,
   and is noted in the file $SCARCE_SEEN. If SCARCE is 0, none fails, and all are noted. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static int
fails(void)
{
	static long count;
	const char *number = getenv("SCARCE"), *seen = getenv("SCARCE_SEEN");
	char line[32];
	int file;

	if (number == NULL || seen == NULL || (count++, atol(number) != 0 && atol(number) != count))
		return 0;
	file = open(seen, O_WRONLY | O_CREAT | O_APPEND, 0600);
	(void)!write(file, line, (size_t)snprintf(line, sizeof line, "%ld\n", count));
	close(file);
	errno = ENOMEM;
	return atol(number) != 0;
}

void *
__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}
