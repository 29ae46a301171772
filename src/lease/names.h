/*
 * The names in a dispenser's directory. NAME is that of a client: digits or digits_digits, its pid
 * and a number that nobody can guess. If a group shares the dispenser, its members make their FIFOs
 * in the directory "w", but cannot list it; they may only enter the dispenser's own directory, and
 * cannot read the inlet. So only the client and the dispenser know a NAME, and can speak for it;
 * and only the dispenser makes names outside "w": nobody else can have made a lease of a slot.
 */
#ifndef NAMES_H /* several headers of the dispenser have it */
#define NAMES_H
#define NAMES_AGAIN "again\n"  /* tells waiters at the end to ask anew */
#define NAMES_SHARED "jobserver"
#define NAMES_WAITING "w"
#define NAMES_LENDER ".lender"
#define NAMES_OFFERS ".jobserver"
#define NAMES_RETURNS ".returned"
#define NAMES_WITHIN "within"

enum {
	NAMES_CLIENT = 32, /* bytes for the longest NAME */
	NAMES_JOB = 48,    /* for a job of a holder: lending.h */
	NAMES_FILE = 56    /* and for the longest name of all */
};

struct name {
	enum {
		NAME_LEASE,  /* K, K_1 ...: of a batch; K: a token of the shared jobserver */
		NAME_WAITER, /* w/NAME: a client that waits */
		NAME_LEAVER, /* x.NAME: that FIFO, while it is being removed */
		NAME_HOLDER, /* K.NAME: the lease of slot K, or a token of the build of that NAME */
		NAME_BUILD,  /* K.NAME.jobserver, K.NAME.returned: builds.h */
		NAME_NOTE,   /* K.NAME.lender, within: links whose target is a text (lending.h) */
		NAME_SHARED, /* jobserver */
		NAME_BATCH   /* bell, calls, answer, heard, K.out ...: of jobctl.sh */
	} kind;
	const char *text;
	char client[NAMES_CLIENT]; /* NAME, or "" */
	long slot, generation;
};

/* "w/NAME": 0; -1: name is no NAME. */
int names_file(char file[NAMES_FILE], const char *name);
/* "K.NAME", or "K" if NAME is "". */
void names_holder(char file[NAMES_FILE], long slot, const char *client);
/* "K.NAME.lender". */
void names_lender(char file[NAMES_FILE], long slot, const char *client);
/* Renames w/NAME to x.NAME, where nobody finds it: 0, or -1 with errno. */
int names_hide(int dir, const char *file, char hidden[NAMES_FILE]);
/* fifo_open(), but tries again: a client that was taken for dead would wait for ever. */
int names_open(int dir, const char *file, int flags);
/* Writes all of the text, or nothing, into a FIFO that does not block. 0, or -1. */
int names_say(int fd, const char *text);
/* names_say() into that file; *spare (or NULL) is a descriptor that gives way if none is left. */
int names_answer(int dir, const char *file, const char *text, int *spare);
/* Calls back for each name of ours until a call does not return 0: that value, or -1 with errno. */
int names_each(int dir, int (*call)(void *, const struct name *), void *context);
/* Removes all names but the lock, of any kind of dispenser; tells waiters NAMES_AGAIN. */
void names_remove(int dir);
#endif
