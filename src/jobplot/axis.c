#include <stddef.h>

#include "axis.h"

/* Microseconds: milliseconds, seconds, minutes, hours, days. */
static const double steps[] = {1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7,
    15e6, 3e7, 6e7, 12e7, 3e8, 6e8, 9e8, 18e8, 36e8, 72e8, 108e8, 216e8, 432e8, 864e8, 1728e8};

double
axis_step(double span, int most)
{
	size_t last = sizeof steps / sizeof *steps - 1;
	double step;

	for (size_t i = 0; i < last; i++)
		if (span / steps[i] <= most)
			return steps[i];
	for (step = steps[last]; span / step > most; step *= 2)
		;
	return step;
}
