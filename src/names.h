/*
 * The FIFOs of clients in a dispenser's directory: w.NAME while one waits, where
 * NAME is digits or digits_digits (a pid and the time, so that none comes twice),
 * and the number of the slot that it got.
 *
 * names_file() makes "w.NAME"; -1 when NAME is none.
 * names_open() opens such a FIFO, without blocking or following links, closed on
 * exec; the caller closes it. -1 with errno: EEXIST for what is no FIFO.
 * names_say() writes the text into one that is open for writing, all or nothing:
 * 0, or -1. names_answer() opens it for that.
 * names_each() calls back for each such name, with 0 for one that waits, until
 * a call does not return 0; it returns that, or -1 with errno.
 */
enum { NAMES_FILE = 26 };

int names_file(char file[NAMES_FILE], const char *name);
int names_open(int dir, const char *file, int flags);
int names_say(int fd, const char *text);
int names_answer(int dir, const char *file, const char *text);
int names_each(int dir, int (*call)(void *, const char *, long), void *context);
