/*
 * FIFOs. No open here blocks, makes a plain file, or is inherited by exec, and none gets the
 * number of a standard descriptor: our caller may have closed some of these.
 */

/* Opens that FIFO in dir (or AT_FDCWD) with O_RDONLY or O_WRONLY, maybe O_NOFOLLOW. The descriptor,
   the caller's to close; -1 with errno: EEXIST for anything but a FIFO, ENXIO without a reader. */
int fifo_open(int dir, const char *name, int flags);
/* Makes the FIFO if there is none, and opens those of its ends that are -1, the read end first: so
   the write end finds a reader. 0, or -1 with errno; the caller closes what is open. */
int fifo_open_both(int dir, const char *name, int *reader, int *writer);
