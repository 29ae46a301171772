/*
 * A dispenser for programs: clients that ask for tokens by its inlet (words.h), who waits, who
 * holds what.
 *
 * A client makes the FIFO w/NAME in the directory, keeps its write end open, and asks. That FIFO
 * carries the answer to it, and from then on it is the lease of the slots given: renamed to the
 * first, linked to the others. Until then nothing of it is open here. Requests and news change
 * the state (asked.h); clients_serve() then does what follows from it.
 */
#include "holders.h"

struct report;

struct clients {
	struct store store;
	struct builds builds;
	struct holders holders;
	struct waiters waiters;
	struct waiters idlers; /* who waits until nobody holds a token, or waits for one */
	struct report *reports;
	int head;            /* FIFO of the first, who waits for more; or -1 */
	int borrowers;       /* somebody waits who runs with tokens of ours: lending.h */
	int hurried;         /* somebody who asked in this turn wants it now or not at all */
	long long look;      /* when to try again to open that of the first, or 0 (clock.h) */
	long long swept;     /* when we last looked for what the killed left (clock.h) */
	long long count_due; /* while many wait, who of them lives is not asked before (clock.h) */
	long asked_about;    /* where the next window goes on to ask them */
};

/* Adopts what is held, makes count tokens with these labels. 0, or -1 after a message. */
int clients_open(struct clients *c, struct news *news, int dir, long count, char **labels,
    long labelled, int inherited);
/* Takes the news of a descriptor: 1, or 0 when it is not ours. */
int clients_event(struct clients *c, int fd, short events);
/* Gives what can be given, says what is to be said; due once a turn of the dispenser's loop. */
void clients_serve(struct clients *c);
/* How long until that is due though nothing has happened, or -1. */
long long clients_wait_ms(const struct clients *c);
/* 1 while a token is out or somebody waits. */
int clients_busy(const struct clients *c);
/* The end was asked for: gives nothing any more, and tells so everybody who waits. */
void clients_stop(struct clients *c);
/* The directory was taken away, and this one, of the caller, is there instead; -1 for none. */
void clients_move(struct clients *c, int dir);
/* Takes all names out of the directory that clients left there or still have. */
void clients_close(struct clients *c);
