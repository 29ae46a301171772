/* options.c, but its exit ends only the run of the input, and it prints nothing. */
#include "leaving.h"

static int
not_printed(const char *format, ...)
{
	return (int)strlen(format);
}

#define printf not_printed
#include "../../src/lib/options.c"
