/*
 * A place that has failed rests, for $JOBCTL_REST at first, then twice as long each time, and is
 * dropped when it has failed six times in a row. Zeroed, it has not failed.
 */
struct rest {
	int failures;    /* in a row */
	int dropped;
	long long until; /* clock.h */
};

#define REST_NONE "no place is left"

/* $JOBCTL_REST, or a second, in ms; exits with a message if it is no time. */
long long rest_first_ms(void);
/* The place of that name has failed, and why. A failure while it rests is the same one. Says when
   it begins to rest, unless quiet, and when it is dropped. */
void rest_failed(struct rest *rest, const char *name, const char *why, int quiet);
/* The place has worked. */
void rest_worked(struct rest *rest);
/* How long the place rests; -1: it was dropped. */
long long rest_wait_ms(const struct rest *rest);
