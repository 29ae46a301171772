/*
 * When no further token is given though there are some: while less memory is available than floor
 * bytes, or the load average is at the ceiling or above. That many tokens as least may be out
 * whatever the system says.
 */
struct limits {
	long long floor;   /* bytes, or 0 for none */
	double ceiling;    /* or below 0 for none */
	long least;        /* tokens */
	long long looked;  /* when we asked the system (clock.h), or 0 */
	int reached;
};

/* A load such as 4 or 2.5: 0 and *load, or -1 for anything else. */
int limits_scan_load(const char *text, double *load);
/* Bytes, maybe with K, M or G behind: 0 and *size, or -1 for anything else. */
int limits_scan_size(const char *text, long long *size);
/* Says what this system does not tell of the limits that are set, and forgets those. */
void limits_open(struct limits *limits);
/* 1 when there is any. */
int limits_set(const struct limits *limits);
/* 1 while one is reached; asks the system, but not too often. */
int limits_reached(struct limits *limits);
/* How long until it will ask again. */
long long limits_wait_ms(const struct limits *limits);
