/*
 * What has failed rests, each time twice as long, from $JOBCTL_REST on, and is dropped when it has
 * failed six times in a row. Zeroed, it has not failed.
 */
struct rest {
	int failures;    /* in a row */
	int dropped;
	long long until; /* clock.h */
};

/* What is said of a place that begins to rest, or was dropped: name, length of the reason, and
   that; and when none is left. */
#define REST_AGAIN "%s: cannot be used, and is tried again: %.*s"
#define REST_DROPPED "%s: left out from now on, after six failures: %.*s"
#define REST_NONE "no place is left"

/* $JOBCTL_REST, or a second; exits with a message when it is no time. */
long long rest_first_ms(void);
/* It has failed: 2 when that drops it, 1 when it had worked before, else 0. While it rests, that is
   the same failure. */
int rest_failed(struct rest *rest);
/* It has worked. */
void rest_worked(struct rest *rest);
/* How long it rests; -1: it was dropped. */
long long rest_wait_ms(const struct rest *rest);
