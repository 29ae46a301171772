/* tokend: one loop around a dispenser for clients or for a shell, and its parent. */
#ifndef TOKEND_H
#define TOKEND_H
#include <sys/types.h>

#include "../attended/attended.h"
#include "../clients/clients.h"
#include "../lease/lease.h"
#include "../lib/lib.h"
#include "../places/places.h"

/*
 * claim.c: the claim of one dispenser on its path P: the inlet FIFO P, the directory P.d, and in it
 * the lock and the directory of those who wait. Nothing here blocks. Where mode lets a group or
 * everybody write into the inlet, they may also make files in that last directory, and open by
 * their names what is in both: names.c. A claim that fails changes nothing. A directory that holds
 * something else stays, with a message.
 */
struct claim {
	const char *path; /* P; the caller's */
	char *directory;  /* "P.d", allocated */
	int mode;         /* of the inlet */
	int dir;          /* P.d, open for the ...at() calls */
	int lock;         /* P.d/lock, with a write lock while we live */
	int inlet;        /* P, read end, non-blocking */
	int keep;         /* P, our own write end: the inlet never sees EOF */
	int found;        /* P.d was there before */
	int stale;        /* and the lock: its former owner died */
	int fresh;        /* P was not there before */
	int made;         /* P is ours to remove */
	int anothers;     /* refused, for another dispenser lives there */
};

/* Makes it, takes over a dead one's, or refuses: STATUS_DONE, or another after a message. */
int claim_take(struct claim *claim, const char *path, int mode);
/* 0 when one of these is not there any more, or is another's; 1 else, or where nobody can tell. */
int claim_stands(const struct claim *claim);
/* After that: takes the path anew, and what else is missing. 0; or -1 after a message: it has no
   inlet then, and a lock only if that was still in its place. */
int claim_again(struct claim *claim);
/* Removes inlet, lock and directory, as far as we made them, and closes all. */
void claim_release(struct claim *claim);
/* As if claim_take() had failed: removes what that has made, closes all. */
void claim_undo(struct claim *claim);
/* Closes all, and leaves what is there to the next dispenser. */
void claim_abandon(struct claim *claim);

/* labels.c: the labels of a dispenser's slots, in their order. A failure ends the program with a
   message. */
struct labels {
	char **list;
	size_t count, room;
};

/* Takes a copy of the label. */
void labels_add(struct labels *labels, const char *label);
/* Takes one from each line of a file. */
void labels_read(struct labels *labels, const char *path);
/* Frees all. */
void labels_clear(struct labels *labels);

/*
 * dispenser.c: one running dispenser: its claim of a path, its tokens, and whom it serves, in one
 * loop. The caller fills in what the options say, and the claim.
 */

enum { DISPENSER_SPARE = 16 }; /* descriptors besides those of the slots */

struct dispenser {
	struct claim claim;
	struct jobs jobs;    /* one of these two */
	struct clients clients;
	struct news news;
	struct board board;  /* of the clients' pool */
	const char *joblog;  /* --joblog: a log of each use of a token, or NULL ... */
	struct joblog log;   /* ... which is open */
	mode_t mask;         /* of the user, for that file */
	short output_events; /* that we wait for at standard output */
	long count;          /* -n */
	struct pace pace;    /* -i, -d */
	struct labels labels; /* -s, -f: of slots 1... */
	int lines;           /* -a: the attendant reads them */
	int recover;         /* -r: only wind up what a dead dispenser left */
	int serving;         /* none of these: clients */
	int background;      /* -b: descriptor that says that we are ready, or -1 */
	int supervised;      /* -k: our parent stays beside us */
	int mode;            /* -m: of the inlet */
	int builds;          /* -j: clients may be builds */
	long idle;           /* -x: ms after which to end when unused, or 0 */
	long long used;      /* when it was last (clock.c) */
	int answers;         /* the attendant answers "stop" with "@end" */
	pid_t watched;       /* the script that the attendant belongs to, or 0 */
	int attends;         /* that is the attendant, and nobody answers when it has died */
	int watch;           /* descriptor that tells of its end, or -1 */
	int asked;           /* the attendant was told to stop */
	int ending;          /* leave when all tokens are home */
	long long look;      /* when to see whether our names are still there (clock.c) */
	int gone;            /* they are not, and so we end */
	int now;             /* leave */
	int warned;          /* of junk */
};

/* Serves until told to end, and releases the claim: an exit status. */
int dispenser_run(struct dispenser *d);

/* opening.c: the arguments of jobctl_open: options and a number. */
struct opening {
	const char *name;    /* of the batch */
	const char *count;   /* of jobs at once, or NULL; the places say how many slots */
	char *shell;         /* lines for the shell, "option VARIABLE VALUE", or "" */
	int borrows;         /* the tokens are make's, if it has some */
	int shows;           /* the dispenser writes to our output, or waits for its disk */
	struct sites sites;  /* -S; none: all jobs run here */
	long long grace;     /* ms from TERM to KILL of jobs ... */
	long long patience;  /* ... and of those at places */
};

/* Sets what the dispenser needs to know of them. grace is that of jobs here, in seconds. Exits with
   a message if an argument is wrong. */
void opening_read(struct opening *o, struct dispenser *d, const char *grace, char **argv);
/* Makes the directory of the sessions, and the file DIRECTORY/places. It assigns to
   _jobctl_place_NAME_3 the words that run a command at the place of slot 3, jobat(1), or nothing if
   that is here. 0, or -1 after a message. */
int opening_places(struct opening *o, const char *directory);

/*
 * parent.c: the parent of the dispenser of a script stays beside it, and ends all in order: of
 * jobctl_open, which has a directory and gets its lines by the FIFO "news" there, and of jobctrl,
 * which writes into a pipe. If the dispenser was killed, the parent tells the script to start no
 * more jobs, and waits until it has heard that and no lease is open. A third process, the spare,
 * sleeps; it does the same if parent and dispenser were killed together. So no open of the shell
 * waits for ever.
 *
 * The parent of a pool (-k) starts another dispenser, which takes over, if one was killed or, once
 * one was ready, could not begin or go on. It ends with one that ends by itself; or after several
 * that were killed as soon as they had begun. It ignores signals: they are for the dispenser.
 */

/* The words of jobctl_open: PID DIRECTORY KEY GRACE, options, a number. Goes into the background,
   and returns in the dispenser: its path. */
const char *parent_of_batch(struct dispenser *d, struct opening *opening, char **words);
/* The same for jobctrl, in the foreground: "process" reads our standard output. */
void parent_of_process(struct dispenser *d, const char *fifo);
/* -k: ready is of background_begin(). Returns in each dispenser. */
void parent_of_pool(int ready);
/* In the dispenser, at its end; a parent that lives sees that itself. */
void parent_end(int status);
#endif
