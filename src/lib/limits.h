/*
 * When nothing further is started though it could be: while less memory is available than floor
 * bytes, or the load average is at the ceiling or above. Zeroed, there is no limit.
 */
#ifndef LIMITS_H /* both kinds of dispensers have it */
#define LIMITS_H
struct limits {
	long long floor;   /* bytes, or 0 for none */
	double ceiling;
	int capped;        /* there is a ceiling */
	long least;        /* of tokens: so many whatever the system says; the caller's */
	long long looked;  /* when we asked the system (clock.h), or 0 */
	int reached, low;  /* as of then */
};

#define LIMITS_LOAD "a load such as 4, 2.5, or 100% of the processors"
#define LIMITS_SIZE "a size such as 500M or 2G"

/* "4", "2.5", or "80%" of the processors: 0, or -1 for anything else. */
int limits_scan_load(struct limits *limits, const char *text);
/* Bytes, maybe with K, M, G or T behind, or k, m, g, t of 1000: 0, or -1 for anything else. */
int limits_scan_size(struct limits *limits, const char *text);
/* Says what this system does not tell of the limits that are set, and forgets those. */
void limits_open(struct limits *limits);
/* 1 when there is any. */
int limits_set(const struct limits *limits);
/* 1 while one is reached; asks the system, but not too often. */
int limits_reached(struct limits *limits);
/* 1 while less than half of the memory is available: what runs has to give way. */
int limits_low(struct limits *limits);
/* What was seen is over: the system is asked at once. */
void limits_changed(struct limits *limits);
/* How many ms until limits_reached() asks the system again. */
long long limits_wait_ms(const struct limits *limits);
#endif
