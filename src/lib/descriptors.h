/* The descriptors of this process. */
#include <stddef.h>

struct stat;

enum { DESCRIPTORS_TELL = 48 };

/* Opens /dev/null as each of 0 to 2 that is closed, such that reading 0 and writing 1 still fail.
   0, or -1 with errno. */
int descriptors_fill(void);
/* Raises the limit of open files to need, or as far as it goes; returns how far it got. */
long descriptors_allow(long need);
/* Moves a descriptor below least to least or above, closed on exec. The one to use, or -1. */
int descriptors_lift(int fd, int least);
/* Closes *fd unless it is -1, and sets it to -1; keeps errno. */
void descriptors_close(int *fd);
/* 1 if both are of one file, else 0. */
int descriptors_same(const struct stat *one, const struct stat *other);
/* A descriptor above 2 of that file, for writing only; or -1. */
int descriptors_find(const struct stat *file);
/* Writes what tells its open file from all others. */
void descriptors_tell(int fd, char text[DESCRIPTORS_TELL]);
/* 1 if name is the open file, and no symbolic link; 0 if not; -1 with errno: not known. */
int descriptors_named(int fd, int dir, const char *name);
/* Writes all, and waits for the reader, also if whoever shares the descriptor has made it
   non-blocking. 0, or -1 with errno. */
int descriptors_write(int fd, const char *text, size_t length);
/* The events, of these and POLLHUP, POLLERR, that poll(2) reports within ms; 0: none. */
short descriptors_poll(int fd, short events, int ms);
/* Opens a pipe or terminal anew, to write without blocking; other users of fd do not notice. The
   descriptor, for the caller to close, or -1. */
int descriptors_unblocked(int fd);
/* Waits until the data is on disk. 0, also for a pipe or a terminal; or -1 with errno. */
int descriptors_sync(int fd);
/* A pipe, closed on exec; ends[ours] does not block, unless ours is -1. 0, or -1 with errno. */
int descriptors_pipe(int ends[2], int ours);
