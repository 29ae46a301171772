/*
 * The output of jobs, as it is shown. A job writes into two pipes, which we read: what is not yet
 * a line waits here; lines go on, after their tag, to where ours of their kind goes. Or it has
 * written into two files, which are shown in one piece when it has ended.
 * Nothing here blocks: while a reader takes no more, the jobs wait. A line that is too long to be
 * held is written in pieces. Nobody else writes there until it ends; but what its own job writes to
 * the other place meanwhile is read and held.
 */
#include <sys/select.h>

struct live; /* the output of one job */

/* Begins, to show what is written to 1 and 2 there; of files, those from that id on. shown is told
   of each job that has ended when all of its output is written, with its line, or NULL if some of
   that is lost. It returns 0, or -1 with errno. 0, or -1 with errno: we are to exit. Until then all
   functions without a job do nothing, and return 0, or -1 for no descriptor. */
int lines_open(const int to[2], long first, int (*shown)(void *context, const char *line),
    void *context);
/* 1 while a line on a terminal has still to end. There progress.h makes way for each write, and all
   ends with a newline, so that it can be drawn again below. */
int lines_inside(void);
/* Output for a job: ends are for its descriptors 1 and 2, or -1; the caller closes them, once if
   they are the same. Tags come before its lines, and are ours now, or NULL. NULL with errno. */
struct live *lines_begin(int ends[2], char *const tags[2]);
/* The job was not started. */
void lines_cancel(struct live *live);
/* The job has ended: reads what it has left, but waits for nobody whom it has left behind. Returns
   how much it has written to 1. */
long long lines_drain(struct live *live);
/* The rest is to be shown, and then shown() is told of line, which becomes ours. */
void lines_end(struct live *live, char *line);
/* A job has ended, and its output is in these files, or -1: they, tags and line are ours now. Files
   are shown in the order of ids, or at once if that is 0; then shown() is told. */
void lines_keep(long id, const int files[2], char *const tags[2], char *line);
/* The turn of all files has come, even if ids are missing. */
void lines_all(void);
/* 1 while something whose turn has come is not shown yet. */
int lines_due(void);
/* Shows a message to 2 that must not tear a line: 0, or -1 if there is no need to, or no way. */
int lines_say(const char *text);
/* Adds what to wait for to sets of select(2), or, without "in", readers alone: the highest
   descriptor, or -1. */
int lines_fds(fd_set *in, fd_set *out);
/* A reader to wait for, which may take more already after much output; or -1. */
int lines_blocked(void);
/* Reads and writes what can be without blocking: 0, or -1 with errno if since the last call
   something could not be. From then on, output for the same place is read and dropped. */
int lines_pump(void);
