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
#define NAMES_TOKEN ".token"
#define NAMES_WAITING "w"
#define NAMES_GOING ".home"
#define NAMES_LOANS "loan"
#define NAMES_OFFERS ".jobserver"
#define NAMES_RETURNS ".returned"
#define NAMES_WITHIN "within"

enum {
	NAMES_CLIENT = 32, /* bytes for the longest NAME */
	NAMES_FILE = 56    /* and for the longest name of all */
};

struct name {
	enum {
		NAME_LEASE,  /* K, K_1 ...: of a batch */
		NAME_WAITER, /* w/NAME: a client that waits */
		NAME_LEAVER, /* x.NAME: that FIFO, while it is being removed */
		NAME_HOLDER, /* K.NAME: the lease of slot K; K.NAME.home: while we look whether its
		                token is home */
		NAME_TOKEN,  /* K.NAME.token: of a build */
		NAME_BUILD,  /* K.NAME.jobserver, K.NAME.returned: builds.h */
		NAME_LOAN,   /* w/NAME.loan, w/NAME.3 ...: of those that borrow from NAME */
		NAME_NOTE,   /* within: a link whose target is a text (held.h) */
		NAME_BATCH   /* bell, calls, answer, heard, K.out ...: of jobctl.sh */
	} kind;
	const char *text;
	char client[NAMES_CLIENT]; /* NAME, or "" */
	long slot, generation;
};

/* "w/NAME": 0; -1: name is no NAME. */
int names_file(char file[NAMES_FILE], const char *name);
/* "K.NAME". */
void names_holder(char file[NAMES_FILE], long slot, const char *client);
/* "K.NAME.token". */
void names_token(char file[NAMES_FILE], long slot, const char *client);
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
/* Removes the names of loans of that client. */
void names_forget_loans(int dir, const char *client);
/* Removes all names but the lock, of any kind of dispenser; tells waiters NAMES_AGAIN. */
void names_remove(int dir);
#endif
