/*
 * FIFOs, in a directory or AT_FDCWD. No open here blocks, makes a plain file, or is inherited
 * by exec, and none gets the number of a standard descriptor, which our caller may have closed.
 */

/* The descriptor, for O_RDONLY or O_WRONLY; -1 with errno, EEXIST for anything but a FIFO. */
int fifo_open(int dir, const char *name, int flags);
/* Makes it if need be, and opens the ends that are -1. 0, or -1; the caller closes what is open. */
int fifo_open_both(int dir, const char *name, int *reader, int *writer);
/* The colon of HOST:FIFO, as scp(1) has it: nothing with a "/" before it, unless HOST is in
   [brackets]. NULL for the path of a FIFO here. */
const char *fifo_colon(const char *operand);
