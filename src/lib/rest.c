#include "clock.h"
#include "complain.h"
#include "number.h"
#include "rest.h"

enum { FAILURES = 6, FIRST = 1000 /* ms */ };

long long
rest_first_ms(void)
{
	return number_variable("JOBCTL_REST", FIRST);
}

void
rest_failed(struct rest *rest, const char *name, const char *why, int quiet)
{
	if (rest->dropped || clock_wait_ms(rest->until) > 0)
		return;
	rest->until = clock_now() + (rest_first_ms() << rest->failures);
	rest->dropped = ++rest->failures == FAILURES;
	if (rest->dropped)
		complain("%s: left out from now on, after six failures: %s", name, why);
	else if (rest->failures == 1 && !quiet)
		complain("%s: cannot be used, and is tried again: %s", name, why);
}

void
rest_worked(struct rest *rest)
{
	rest->failures = 0;
}

long long
rest_wait_ms(const struct rest *rest)
{
	return rest->dropped ? -1 : clock_wait_ms(rest->until);
}
