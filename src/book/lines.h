/*
 * The output of jobs as it comes, by whole lines. A job writes into two pipes, which we read: what
 * is not yet a line waits here; lines go on, after their tag, to where ours of their kind goes.
 * Nothing here blocks: while a reader takes no more, the jobs wait. A line that is too long to be
 * held is written in pieces. Nobody else writes there until it ends; but what its own job writes to
 * the other place meanwhile is read and held.
 */
#include <sys/select.h>

struct lines;
struct live; /* the output of one job */
struct outbox;

/* Begins, to show what is written to 1 and 2 there. shown is told of each job that has ended when
   all of its output is written, with what lines_end() had, or NULL if some of that is lost. It
   returns 0, or -1 with errno. NULL with errno: we are to exit. Nothing is ever freed. */
struct lines *lines_open(const int to[2], int (*shown)(void *context, const char *line),
    void *context);
/* 1 while a line on a terminal has still to end. */
int lines_inside(const struct lines *lines);
/* Output for a job: ends are for its descriptors 1 and 2, or -1; the caller closes them, once if
   they are the same. Tags come before its lines, and are ours now, or NULL. NULL with errno. */
struct live *lines_begin(struct lines *lines, int ends[2], char *const tags[2]);
/* The job was not started. */
void lines_cancel(struct live *live);
/* The job has ended: reads what it has left, but waits for nobody whom it has left behind. Returns
   how much it has written to 1. */
long long lines_drain(struct live *live);
/* The rest is to be shown, and then shown() is told of line, which becomes ours. */
void lines_end(struct live *live, char *line);
/* Shows a message to 2 that must not tear a line: 0, or -1 if there is no need to, or no way. */
int lines_say(struct lines *lines, const char *text);
/* Adds what to wait for to sets of select(2), or, without "in", readers alone: the highest
   descriptor, or -1. */
int lines_fds(const struct lines *lines, fd_set *in, fd_set *out);
/* Reads and writes what can be without blocking: 0, or -1 with errno if since the last call
   something could not be. From then on, output for the same place is read and dropped. */
int lines_pump(struct lines *lines);
/* Appends text with the tag, or NULL, before each line. inside: the last line has still to end,
   before and after. Exits if there is no memory. */
void lines_add(struct outbox *box, const char *tag, const char *text, size_t length, int *inside);
