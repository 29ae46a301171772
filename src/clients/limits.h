/*
 * When no further token is given though there are some: while less memory is
 * available than floor bytes, or the load average is at the ceiling or above. So many
 * tokens as least may be out whatever the system says.
 *
 * limits_scan_load() and limits_scan_size() read a limit: a number, or one with K, M or
 * G that says what it is multiplied by. 0, or -1 for anything else.
 * limits_open() is for what was set, 0 and below 0 for what was not: it says what
 * this system does not tell, and forgets it.
 * limits_set() is 1 when there is any.
 * limits_reached() asks the system, at most each LOOK ms; limits_patience() is how
 * many ms from now it will ask again.
 */
struct limits {
	long long floor;   /* bytes, or 0 */
	double ceiling;    /* or below 0 */
	long least;        /* tokens */
	long long looked;  /* when we asked (clock.h), or 0 */
	int reached;
};

int limits_scan_load(const char *text, double *load);
int limits_scan_size(const char *text, long long *size);
void limits_open(struct limits *limits);
int limits_set(const struct limits *limits);
int limits_reached(struct limits *limits);
long long limits_patience(const struct limits *limits);
