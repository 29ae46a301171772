#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

const char *program = "";

/* Builds the whole line first: one write, so that the lines of several
   programs on one terminal do not mix. */
static void
print(const char *format, va_list args)
{
	int saved = errno;
	char line[1024];
	size_t used, size = sizeof line - 1;
	int n;

	n = snprintf(line, size, "%s: ", program);
	used = n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
	n = vsnprintf(line + used, size - used, format, args);
	if (n > 0)
		used += (size_t)n < size - used ? (size_t)n : size - used - 1;
	if (*format != '\0' && format[strlen(format) - 1] == ':') {
		n = snprintf(line + used, size - used, " %s", strerror(saved));
		if (n > 0)
			used += (size_t)n < size - used ? (size_t)n : size - used - 1;
	}
	line[used++] = '\n';
	fwrite(line, 1, used, stderr); /* nobody left to tell when this fails */
	errno = saved;
}

void
complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(format, args);
	va_end(args);
}

void
fail(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(format, args);
	va_end(args);
	exit(status);
}
