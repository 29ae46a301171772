/* The descriptors of this process. */
struct stat;

/* Opens /dev/null for those of 0, 1 and 2 that are closed. To read from 0 and to write to 1 fails
   then, as it would have. 0, or -1 with errno. */
int descriptors_fill(void);
/* Raises the limit of open files to need, or as far as it goes; returns what it is then. */
long descriptors_allow(long need);
/* The same, for that many of what; exits with a message where it goes less far. */
void descriptors_need(long need, long count, const char *what);
/* A number below least: moves it there or above, closed on exec. The one to use, or -1. */
int descriptors_lift(int fd, int least);
/* Closes it, unless it is -1, and makes it -1; keeps errno. */
void descriptors_close(int *fd);
/* 1 when both are of one file, else 0. */
int descriptors_same(const struct stat *one, const struct stat *other);
/* Whether the file goes by that name, which is no link: 1 or 0; or -1 with errno when nobody can
   tell. */
int descriptors_named(int fd, int dir, const char *name);
/* What poll(2) says of it within ms: of these events, and POLLHUP, POLLERR; 0 for nothing. */
short descriptors_poll(int fd, short events, int ms);
/* Another one for a pipe or a terminal, to write: opened anew it does not block, and whoever else
   has it does not notice. -1 where there is none. */
int descriptors_unblocked(int fd);
/* Waits until what was written is on disk. 0, also for a pipe or a terminal; or -1 with errno. */
int descriptors_sync(int fd);
/* A pipe, closed on exec; ends[ours] does not block, unless ours is -1. 0, or -1 with errno. */
int descriptors_pipe(int ends[2], int ours);
