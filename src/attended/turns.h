/*
 * When the leases of an attendant's slots are announced: not before their time (pace.h).
 *
 * An announcement may lie ready for long before its lease is opened. So what counts as
 * the start is the '+' of the job, the last if there are several; and where a lease
 * comes home without one, that. While a minimum time between any two starts is kept, and
 * an announced job has not begun, nothing else is announced.
 *
 * turns_may() is 1 when the lease may be announced now; turns_out(): it was.
 * turns_begun(): its job has said that it begins. turns_home(): it came home, or its
 * token did; due is that of the slot then.
 * turns_unknown(): a dispenser was killed here, and nobody knows when its jobs began:
 * all slots wait in full.
 * turns_left() is how many ms it is until turns_may() can be 1, or -1 when that needs more
 * than time.
 */
#include <stddef.h>

struct lease;
struct pace;

struct turns {
	struct pace *pace; /* the caller's */
	long pending;  /* announced, and not begun */
};

int turns_may(const struct turns *turns, const struct lease *lease);
void turns_out(struct turns *turns, struct lease *lease);
void turns_begun(struct turns *turns, struct lease *lease);
void turns_home(struct turns *turns, struct lease *lease);
void turns_unknown(struct turns *turns, struct lease *leases, size_t count);
long long turns_left(const struct turns *turns, const struct lease *lease);
