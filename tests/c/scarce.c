/* scarce -- for LD_PRELOAD, with glibc: the allocation number SCARCE of the program SCARCE_IN
   fails, and a file of the name SCARCE_SEEN tells that it did. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char *program_invocation_short_name;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static long left = -1; /* until the one that fails; -1: not known yet; 0: it is over */

static int
fails(void)
{
	const char *number, *in, *seen;

	if (left < 0) {
		number = getenv("SCARCE");
		in = getenv("SCARCE_IN");
		left = number == NULL || in == NULL || strcmp(in, program_invocation_short_name) != 0 ? 0 : atol(number);
	}
	if (left == 0 || --left > 0)
		return 0;
	if ((seen = getenv("SCARCE_SEEN")) != NULL)
		close(open(seen, O_WRONLY | O_CREAT, 0600));
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}
