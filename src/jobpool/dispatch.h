/*
 * jobpool at work: requests from standard input to the staff, answers from there to standard
 * output, until both are done with. Attended by a script, the input is lines ":REQUEST", and
 * "end"; the first line of the output is "ready". A first signal ends the workers as the end of
 * the grace does, a second kills them, if one of the two is SIGINT: timeout(1) sends TERM twice.
 */
#include "staff.h"

/* Does that: the exit status. Dies by the signal that ended it, after its workers. */
int dispatch_run(const struct staffing *options);
