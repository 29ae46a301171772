#include "places.h"

enum {
	CERTAIN = 5,           /* session.c says why */
	SPARE = 1000,          /* ms that processes may take beside; or a beat, if that is more */
	SHORTEST = 100, LONGEST = 3600000
};

long
beat_option(const struct options *option)
{
	long long ms = number_option_ms(option);

	if (ms < SHORTEST || ms > LONGEST)
		options_wrong(option, "not a time from 0.1 to 3600 seconds");
	return (long)ms;
}

long long
beat_patience(long beat_ms, long long grace_ms)
{
	return (long long)CERTAIN * beat_ms + (beat_ms > SPARE ? beat_ms : SPARE) + grace_ms;
}

long long
beat_held(long beat_ms)
{
	return (BEAT_MISSED + 1) * (long long)beat_ms + (beat_ms > SPARE ? beat_ms : SPARE);
}
