/*
 * Places where jobs run, jobat(1), and how they fare: one that cannot be reached rests, each time
 * twice as long, and is dropped when it has failed six times in a row.
 */
#include "../places/den.h"

struct site {
	char *name;        /* ":" is here */
	long slots;        /* 0: as many as it has processors */
	long dealt;        /* how many it has ever had */
	size_t file;       /* whose line it is, from 1; 0: nobody's, and it stays */
	int away;          /* that line is gone */
	int seen;          /* while the file is read: the line is there */
	int failures;      /* in a row */
	int dropped;
	long long rests;   /* until then (clock.h) */
};

/* A slot, which may be one too many by now. */
struct site_slot {
	size_t site;
	long number;       /* among those of its place, from 0 */
};

struct sites {
	struct site *list;
	size_t count, room;
	struct site_slot *of_slot;
	char **labels;     /* of as many slots: their places */
	size_t slot_room, label_room;
	long slots;
	size_t files;      /* arrivals.h: how many list places */
	long beat;         /* seconds, or 0 for that of jobat */
	const char *directory; /* where jobs run there, or NULL */
	char **variables;  /* which they have too, "--env" before each; or NULL */
	size_t variable_count;
	struct den den;
	long long patience; /* ms in which jobat ends for certain, once it is to */
};

enum site_end {
	SITE_OWN,          /* the status is that of the job */
	SITE_NEVER,        /* it was not begun */
	SITE_LOST          /* nobody knows how it ended */
};

/* Adds "8/host1,host2": 0, or -1 with errno, EINVAL. */
int sites_add(struct sites *sites, const char *list);
/* From now on those of that file are these. 0, or -1 with errno: EINVAL, when all is as before. */
int sites_list(struct sites *sites, const char *list, size_t file);
/* 1 when jobs run at places. */
int sites_there(const struct sites *sites);
/* Adds a variable for jobs: 0, or -1 with errno, EINVAL for what is no name of one. */
int sites_variable(struct sites *sites, char *name);
/* Counts the slots, each where it was not said, or with 0 by asking the place; and deals them. 0,
   or -1 with errno: EHOSTUNREACH, after messages, when no file may bring some, either. */
int sites_count(struct sites *sites, long each);
/* Deals those of places that have come, each where it was not said. 0, or -1 with errno. */
int sites_deal(struct sites *sites, long each);
/* Makes what they need. 0, or -1 with errno. */
int sites_open(struct sites *sites, long long grace);
/* To the end of all sessions, or as long as that may take. */
void sites_close(struct sites *sites);
/* How long the place of that slot is to rest; -1: it was dropped. */
long long sites_wait_ms(const struct sites *sites, long slot);
/* 1 when jobs of that slot do not run here. */
int sites_far(const struct sites *sites, long slot);
/* The command that runs argv there, for free(3); or NULL with errno. */
char **sites_argv(const struct sites *sites, long slot, char **argv);
/* How the job of that slot has ended, and, in why, the reason. *news: 1 when its place is to rest
   for the first time, 2 when it was dropped. */
enum site_end sites_outcome(struct sites *sites, long slot, int status, char *why, size_t size,
    int *news);
/* 1 while there is one that was not dropped; -1 when there is none, but a file may bring one. */
int sites_left(const struct sites *sites);
