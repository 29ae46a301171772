/*
 * clock_now(): milliseconds on a clock that nobody can set
 * (CLOCK_MONOTONIC); only differences mean anything.
 * clock_left() is how many are left until then, or 0. clock_sooner() is the shorter
 * of two times to wait, of which -1 is for ever.
 */
long long clock_now(void);
long long clock_left(long long time);
long long clock_sooner(long long a, long long b);
