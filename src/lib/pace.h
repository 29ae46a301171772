/*
 * When the next start may come: a least time from a slot's start to the next in that
 * slot, whenever what was started ends, and one between any two starts.
 *
 * pace_on() is 0 where there is neither; then the clock is never looked at.
 * pace_start(): something started just now in the slot that has this due, or it is
 * not known when it did, but not later. Both times count from here.
 * pace_hold(): nothing is to start for so many ms, for another reason; returns until when.
 * pace_left() is how many ms it is until a start may come in a slot with that due; 0:
 * it may now. At most a day, so that an int will hold it.
 * Never too few: the clock counts whole ms, so there is always one more.
 */
struct pace {
	long long each, any; /* ms, or 0 */
	long long due;       /* clock.h: no start before this, in whatever slot */
};

int pace_on(const struct pace *pace);
void pace_start(struct pace *pace, long long *due);
long long pace_hold(struct pace *pace, long long ms);
long long pace_left(const struct pace *pace, long long due);
