/* How many jobs run at once: as -j says, or a file; and as SIGUSR1 and SIGUSR2 change it. */
struct batch;

enum { WIDTH_MOST = 100000 };

/* "8", "50%", "+2", "-1" of the processors, "0" for as many as can be: 0 and *jobs, or -1. */
int width_scan(const char *text, long *jobs);
/* The same from the first line of a file: 0 and *jobs, or -1 with errno: EAGAIN for an empty one,
   which may just be written; EINVAL for what is no such number. */
int width_read(const char *path, long *jobs);
/* So many jobs run at once from now on: 0, or -1 after a message. */
int width_set(struct batch *batch, long jobs);
/* Does what was ordered by signals. */
void width_obey(struct batch *batch);
/* A job has ended: the file, if there is one, is read anew. */
void width_follow(struct batch *batch);
