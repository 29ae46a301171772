#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

const char *program = "";
void (*complain_first)(void);

enum { LONGEST = 1024 };

void
complain_text(char *line, const char *format, va_list args)
{
	int saved = errno;
	const char *reason = *format != '\0' && format[strlen(format) - 1] == ':' ? strerror(saved)
	    : NULL;
	char text[LONGEST] = "";

	vsnprintf(text, sizeof text, format, args);
	snprintf(line, COMPLAIN_ROOM - 1, "%s: %s%s%s", program, text, reason != NULL ? " " : "",
	    reason != NULL ? reason : "");
	strcat(line, "\n");
	errno = saved;
}

/* One write of the whole line, so that the lines of several programs on one terminal do not mix. */
void
complain_list(const char *format, va_list args)
{
	int saved = errno;
	char line[COMPLAIN_ROOM];

	complain_text(line, format, args);
	if (complain_first != NULL)
		complain_first();
	fputs(line, stderr); /* nobody is left to tell when this fails */
	errno = saved;
}

void
complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain_list(format, args);
	va_end(args);
}

void
fail(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain_list(format, args);
	va_end(args);
	exit(status);
}
