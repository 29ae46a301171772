/* How often a place hears of us, and what follows from that. */

enum { BEAT_SECONDS = 2, BEAT_LONGEST = 3600 };
enum { BEAT_MISSED = 3 }; /* so many may be missed, here and there */

/* How many ms after the last beat a job there has ended for certain: seconds, and ms. */
long long beat_patience(long beat, long long grace);
