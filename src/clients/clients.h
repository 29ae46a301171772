/*
 * A dispenser for programs: clients ask for tokens by its inlet (tokend(5)), wait, and hold tokens.
 *
 * A client makes the FIFO w/NAME in the directory, keeps its write end open, and asks. That FIFO
 * carries the answer, and from then on it is the lease of the slots given: renamed to the first,
 * linked to the others. Until then nothing of it is open here. Requests and news change the state
 * (asked.h); clients_serve() then acts on it.
 */
#include "holders.h"

struct report;

struct clients {
	struct store store;
	struct builds builds;
	struct holders holders;
	struct waiters waiters;
	struct report *reports;
	char *runs;          /* the command that comes before a request, or NULL ... */
	char runs_name[NAMES_CLIENT]; /* ... of that client */
	int head;            /* FIFO of the first waiter while too few are free; or -1 */
	long long look;      /* when to try again to open the first waiter's FIFO, or 0 (clock.h) */
	long long swept;     /* when we last looked for FIFOs of killed clients (clock.h) */
	long long count_due; /* while many wait, when to look which of them live (clock.h) */
	long long note;      /* when to look again what builds have taken, or 0 (clock.h) */
	long asked_about;    /* the waiter at which the next window goes on to look */
};

/* Adopts tokens that are held, makes count tokens with these labels. 0, or -1 after a message. */
int clients_open(struct clients *c, struct news *news, int dir, long count, char **labels,
    long labelled, int inherited);
/* Takes the news of a descriptor: 1; 0: it is not ours. */
int clients_event(struct clients *c, int fd, short events);
/* Gives tokens and answers as far as possible; due once a turn of the dispenser's loop. */
void clients_serve(struct clients *c);
/* How long until clients_serve() is due even if nothing happens, or -1. */
long long clients_wait_ms(const struct clients *c);
/* 1 while a token is out, somebody waits, or the pool is paused. */
int clients_busy(const struct clients *c);
/* The end was asked for: gives nothing any more, and tells all waiters. */
void clients_stop(struct clients *c);
/* Removes all names that clients have or left in the directory; closes and frees all. */
void clients_close(struct clients *c);
