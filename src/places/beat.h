/* How often a place hears of us, and what follows from that. */

enum { BEAT_MS = 2000 /* unless another one is wished for */ };
enum { BEAT_MISSED = 3 }; /* so many may be missed, here and there */

/* How a sh is told a number of seconds. */
#define BEAT_FORMAT "%.7g"

struct options;

/* The argument in ms. Exits after a message for what is none. */
long beat_option(const struct options *option);
/* How many ms after the last beat a job there has ended for certain. */
long long beat_patience(long beat_ms, long long grace_ms);
/* How many ms a token of another machine (tools/abroad.h) stays out after the last beat. */
long long beat_held(long beat_ms);
