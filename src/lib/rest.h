/*
 * A place that has failed rests, for $JOBCTL_REST at first, then twice as long each time, and is
 * dropped when it has failed six times in a row. Zeroed, it has not failed.
 */
struct rest {
	int failures;    /* in a row */
	int dropped;
	long long until; /* clock.h */
};

/* Messages when a place begins to rest or is dropped (with its name, length of the reason, reason),
   and when no place is left. */
#define REST_AGAIN "%s: cannot be used, and is tried again: %.*s"
#define REST_DROPPED "%s: left out from now on, after six failures: %.*s"
#define REST_NONE "no place is left"

/* $JOBCTL_REST, or a second, in ms; exits with a message if it is no time. */
long long rest_first_ms(void);
/* The place has failed: 2 if that drops it, 1 if it had worked before, else 0. A failure while it
   rests is the same one. */
int rest_failed(struct rest *rest);
/* The place has worked. */
void rest_worked(struct rest *rest);
/* How long the place rests; -1: it was dropped. */
long long rest_wait_ms(const struct rest *rest);
