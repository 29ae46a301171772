/* options.c, whose exit ends the run of the input and no more, and which prints nothing. */
#include "leaving.h"

static int
not_printed(const char *format, ...)
{
	return (int)strlen(format);
}

#define printf not_printed
#include "../../src/lib/options.c"
