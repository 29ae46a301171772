/* How long these jobs would take on other numbers of slots. */
#include <stddef.h>

struct logged;

struct enough {
	long long *time; /* of each job, in the order in which they began */
	size_t count;
};

/* 0, or -1 without memory. */
int enough_open(struct enough *enough, const struct logged *jobs);
void enough_close(struct enough *enough);
/* Microseconds from the first start to the last end on that many slots: the next job begins as soon
   as a slot is free, and takes as long as it has. -1 without memory. More slots never take longer;
   with one for each job, it is the time of the longest. */
long long enough_span(const struct enough *enough, size_t slots);
/* The least number of slots with which it takes at most this long; -1 without memory. */
long long enough_least(const struct enough *enough, double most);
