/*
 * clock_now(): milliseconds on a clock that nobody can set
 * (CLOCK_MONOTONIC); only differences mean anything.
 */
long long clock_now(void);
