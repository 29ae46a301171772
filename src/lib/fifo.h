/*
 * FIFOs, in a directory or AT_FDCWD. No open here blocks or makes a plain file. Descriptors are
 * closed on exec, and are above 2, even if our caller has closed a standard one. The caller closes
 * them.
 */

#include <sys/types.h>

/* Makes one with that mode, whatever the umask: 0, or -1 with errno. */
int fifo_make(const char *path, mode_t mode);
/* Opens one with O_RDONLY or O_WRONLY. The descriptor, or -1 with errno (EEXIST: it is no FIFO). */
int fifo_open(int dir, const char *name, int flags);
/* Makes it if need be, and opens the ends that are -1. 0; or -1, and one may be open. */
int fifo_open_both(int dir, const char *name, int *reader, int *writer);
/* The colon of HOST:FIFO, as in scp(1): no "/" comes before it, unless HOST is in [brackets]. NULL:
   the path of a FIFO of this machine. */
const char *fifo_colon(const char *operand);
