/*
 * The FIFOs of clients in a dispenser's directory: w.NAME while one waits, where
 * NAME is digits or digits_digits (a pid and the time, so that none comes twice),
 * and the number of the slot that it got; for a build (builds.h), two more, which
 * begin with that number.
 *
 * names_file() makes "w.NAME"; -1 when NAME is none.
 * names_open() opens such a FIFO, without blocking or following links, closed on
 * exec; the caller closes it. -1 with errno: EEXIST for what is no FIFO.
 * names_say() writes the text into one that is open for writing, all or nothing:
 * 0, or -1. names_answer() opens it for that.
 * names_each() calls back for each such name, with the slot, 0 for one that waits,
 * and minus the slot for those of a build, until
 * a call does not return 0; it returns that, or -1 with errno.
 * names_open_all() opens the directory anew, to be read: NULL with errno.
 * names_remove() removes all that a dispenser of any kind, its jobs and clients make
 * there, "traps" of jobctl.sh too, but for the lock. Those who wait are told
 * NAMES_AGAIN: who reads that, and no answer before it, is to ask anew.
 * NAMES_NOBODY is the name of a FIFO that is being removed.
 */
#include <dirent.h>

#define NAMES_AGAIN "again\n"
#define NAMES_NOBODY "w.0"

enum { NAMES_FILE = 26 };

int names_file(char file[NAMES_FILE], const char *name);
int names_open(int dir, const char *file, int flags);
int names_say(int fd, const char *text);
int names_answer(int dir, const char *file, const char *text);
DIR *names_open_all(int dir);
void names_remove(int dir);
int names_each(int dir, int (*call)(void *, const char *, long), void *context);
