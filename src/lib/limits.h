/*
 * Limits for starting more: nothing is started while less than floor bytes of memory are available
 * or the load average is at the ceiling or above. Zeroed, there is no limit.
 */
#ifndef LIMITS_H /* both kinds of dispensers have it */
#define LIMITS_H
struct limits {
	long long floor;   /* bytes, or 0 for none */
	double ceiling;
	int capped;        /* there is a ceiling */
	long least;        /* tokens that are given in spite of the limits; the caller's */
	long long looked;  /* when we asked the system (clock.h), or 0 */
	int reached;       /* at that time */
};

#define LIMITS_LOAD "a load such as 4, 2.5, or 100% of the processors"
#define LIMITS_SIZE "a size such as 500M or 2G"

/* "4", "2.5", or "80%" of the processors: 0, or -1 for anything else. */
int limits_scan_load(struct limits *limits, const char *text);
/* Bytes, or "2G", with K, M, G, T of 1024 or k, m, g, t of 1000: 0, or -1 for anything else. */
int limits_scan_size(struct limits *limits, const char *text);
/* Drops, with a message, limits on figures that this system does not tell. */
void limits_open(struct limits *limits);
/* 1 if there is any limit. */
int limits_set(const struct limits *limits);
/* 1 while one is reached; asks the system, but not too often. */
int limits_reached(struct limits *limits);
/* How many ms until limits_reached() asks the system again. */
long long limits_wait_ms(const struct limits *limits);
#endif
