/*
 * The least time between two starts: in the same slot, and in any two slots. A job starts when it
 * says that it begins, or at the latest when its slot is free again. The clock counts whole
 * milliseconds, so a pause is always one longer: never too short.
 */
#ifndef PACE_H /* two headers of the dispenser have it */
#define PACE_H
struct pace {
	long long each, any; /* ms, or 0: in a slot, in any */
	long long due;       /* no start before this (clock.h) */
	long pending;        /* slots that were given out and have not begun */
};

/* The starts of a slot. Zeroed, there was none. */
struct turn {
	int pending;         /* given out, and not begun */
	long long due;       /* no start here before this */
};

/* 1 if there is a least time; else the clock is never read. */
int pace_on(const struct pace *pace);
/* The slot was given out. */
void pace_out(struct pace *pace, struct turn *turn);
/* The job in the slot begins now, or began before at an unknown time. */
void pace_begin(struct pace *pace, struct turn *turn);
/* The slot is free again. */
void pace_home(struct pace *pace, struct turn *turn);
/* The slot was given out, and is back unused. */
void pace_unused(struct pace *pace, struct turn *turn);
/* Nothing starts for that many ms. Returns until when (clock.h). */
long long pace_hold(struct pace *pace, long long ms);
/* How long until the slot may be given out, at most a day; -1 while another has yet to begin. */
long long pace_wait_ms(const struct pace *pace, const struct turn *turn);
#endif
