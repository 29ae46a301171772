/*
 * Places where jobs run, jobat(1), and how they fare: one that cannot be reached rests, for
 * $JOBCTL_REST at first, then twice as long each time, and is dropped when it has failed six times
 * in a row.
 */
#include <stddef.h>

#include "den.h"

struct site {
	char *name;        /* ":" is here */
	long slots;        /* 0: as many as it has processors */
	int failures;      /* in a row */
	int dropped;
	long long rests;   /* until then (clock.h) */
};

struct site_slot {
	size_t site;
	long number;       /* among those of its place, from 0 */
};

#define REST_NONE "no place is left"

struct sites {
	struct site *list;
	size_t count, room;
	struct site_slot *of_slot;
	char **labels;     /* of as many slots: their places */
	long slots;
	long beat_ms;      /* or 0 for that of jobat */
	int once;          /* a job that was lost is not begun again */
	const char *directory; /* where jobs run there, or NULL */
	char **variables;  /* which they have too, "--env" before each; or NULL */
	size_t variable_count;
	struct den den;
	long long patience; /* sites_patience_ms() */
};

enum site_end {
	SITE_OWN,          /* the status is that of the job */
	SITE_NEVER,        /* it was not begun */
	SITE_LOST          /* nobody knows how it ended */
};

/* The options of all programs that have places. Their codes are above those of others. */
enum {
	SITES_FILE = 1024, SITES_WORKDIR, SITES_VARIABLE, SITES_BEAT, SITES_ONCE
};
#define SITES_OPTIONS \
	{'S', "sshlogin", "PLACES", "run jobs there: 8/host1,2/: (: is here)"}, \
	{SITES_FILE, "sshloginfile", "FILE", "... at those of a file, one on each line"}, \
	{SITES_FILE, "slf", "FILE", NULL}, \
	{SITES_WORKDIR, "workdir", "DIR", "where jobs run there (default: as here)"}, \
	{SITES_WORKDIR, "wd", "DIR", NULL}, \
	{SITES_VARIABLE, "env", "NAME", "pass this variable to the jobs there"}, \
	{SITES_BEAT, "beat", "SECONDS", "after three of these without a word a host is lost (2)"}, \
	{SITES_ONCE, "once", NULL, "never run a job again that was lost"}

struct options;

/* Takes that option, whose argument must stay: 1, or 0 when it is none of these. Exits after a
   message for a wrong argument, such as standard input without a place. */
int sites_take(struct sites *sites, const struct options *options, int code);
/* Exits after a message where there are such options, but no place. */
void sites_check(const struct sites *sites);
/* Adds "8/host1,host2": 0, or -1 with errno, EINVAL. */
int sites_add(struct sites *sites, const char *list);
/* 1 when jobs run at places. */
int sites_there(const struct sites *sites);
/* Counts the slots, each where it was not said, or with 0 by asking the place; and deals them. 0,
   or -1 after messages when there are none. */
int sites_count(struct sites *sites, long each);
/* ms in which jobat ends for certain, once it is to. */
long long sites_patience_ms(const struct sites *sites, long long grace);
/* Makes what they need. 0, or -1 with errno. */
int sites_open(struct sites *sites, long long grace);
/* To the end of all sessions, or as long as that may take. */
void sites_close(struct sites *sites);
/* How long the place of that slot is to rest; -1: it was dropped. */
long long sites_wait_ms(const struct sites *sites, long slot);
/* 1 when jobs of that slot do not run here. */
int sites_far(const struct sites *sites, long slot);
/* The command that runs argv there, for free(3), good until the next call; or NULL with errno. */
char **sites_argv(const struct sites *sites, long slot, char **argv);
/* How the job of that slot has ended, and, in why, the reason. Says what is new of its place. */
enum site_end sites_outcome(struct sites *sites, long slot, int status, char *why, size_t size,
    int quiet);
/* The same, for a job of which the end is known, and why. */
void sites_ended(struct sites *sites, long slot, enum site_end end, const char *why, int quiet);
/* 1 while there is one that was not dropped. */
int sites_left(const struct sites *sites);
