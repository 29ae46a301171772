/* options.c, but its exit ends only the run of the input, and it prints nothing. */
#include "leaving.h"

#define outbox_flush not_flushed
#include "../../src/lib/options.c"

int
not_flushed(struct outbox *box, int fd)
{
	(void)box; /* given back by exit */
	(void)fd;
	return 0;
}
