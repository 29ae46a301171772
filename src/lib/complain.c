#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

const char *program = "";
int (*complain_first)(const char *);

enum { LONGEST = 1024, REASON = 80 };

static void
compose(char *line, const char *format, va_list args)
{
	int saved = errno;
	const char *reason = *format != '\0' && format[strlen(format) - 1] == ':' ? strerror(saved)
	    : NULL;
	char text[LONGEST] = "";
	size_t n;

	vsnprintf(text, sizeof text, format, args);
	snprintf(line, COMPLAIN_ROOM - REASON, "%s: ", program);
	n = strlen(line);
	n += printable_cut(line + n, COMPLAIN_ROOM - REASON - n, text);
	snprintf(line + n, REASON, "%s%.*s\n", reason != NULL ? " " : "", REASON - 3,
	    reason != NULL ? reason : "");
	errno = saved;
}

/* Writes the line at once, so that lines of several programs on one terminal do not mix. */
void
complain_line(const char *line)
{
	int saved = errno;

	if (complain_first == NULL || !complain_first(line))
		descriptors_write(STDERR_FILENO, line, strlen(line)); /* else nobody can be told */
	errno = saved;
}

void
complain(const char *format, ...)
{
	char line[COMPLAIN_ROOM];
	va_list args;

	va_start(args, format);
	compose(line, format, args);
	va_end(args);
	complain_line(line);
}

void
fail(int status, const char *format, ...)
{
	char line[COMPLAIN_ROOM];
	va_list args;

	va_start(args, format);
	compose(line, format, args);
	va_end(args);
	if (complain_first != NULL)
		complain_first(NULL);
	descriptors_write(STDERR_FILENO, line, strlen(line));
	exit(status);
}

void *
need_memory(void *memory)
{
	if (memory == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	return memory;
}

void
need_descriptors(long need, long count, const char *what)
{
	long may = descriptors_allow(need);

	if (may < need)
		fail(STATUS_TROUBLE, "%ld %s need %ld open files, and this process may have %ld",
		    count, what, need, may);
}
