/*
 * The names in a dispenser's directory, and the FIFOs of clients there: w.NAME while one waits,
 * where NAME is digits or digits_digits (a pid and the time, so that none comes twice).
 */
#define NAMES_AGAIN "again\n"  /* what who waits is told at the end: ask anew */
#define NAMES_NOBODY "w.0"     /* a FIFO that is being removed */
#define NAMES_SHARED "jobserver"

enum { NAMES_FILE = 26 }; /* bytes for the longest name */

struct name {
	enum {
		NAME_LEASE,  /* K, K_1 ... */
		NAME_WAITER, /* w.NAME */
		NAME_BUILD,  /* K.jobserver, K.returned: builds.h */
		NAME_SHARED, /* jobserver */
		NAME_BATCH   /* bell, calls, answer, and K.out ...: of jobctl.sh */
	} kind;
	const char *text;
	long slot, generation;
};

/* "w.NAME": 0, or -1 when NAME is none. */
int names_file(char file[NAMES_FILE], const char *name);
/* fifo_open(), but tries again: a client that is taken for dead would wait for ever. */
int names_open(int dir, const char *file, int flags);
/* Writes all of the text, or nothing, into a FIFO that does not block. 0, or -1. */
int names_say(int fd, const char *text);
/* Opens the FIFO for that; *spare (or NULL) is a descriptor that gives way where none is left. */
int names_answer(int dir, const char *file, const char *text, int *spare);
/* Calls back for each name of ours, until one is not 0: returns that, or -1 with errno. */
int names_each(int dir, int (*call)(void *, const struct name *), void *context);
/* Removes all names but the lock, of any kind of dispenser; tells who waits NAMES_AGAIN. */
void names_remove(int dir);
