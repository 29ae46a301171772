/* Milliseconds, on a clock that nobody can set: only differences mean anything. */
#include <time.h>

/* The time now. */
long long clock_now(void);
/* The time of day, which can be set: ms since 1970. */
long long clock_epoch(void);
/* How long until that time; 0 if it has passed. */
long long clock_wait_ms(long long time);
/* The shorter of two waits; -1 is for ever. */
long long clock_sooner(long long a, long long b);
/* Sleeps that long, even if signals come. */
void clock_pause(long long ms);
/* Milliseconds, as pselect(2) takes them. */
struct timespec clock_span(long long ms);
