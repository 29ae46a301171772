/* Bytes in a FIFO, each a token, whatever its value. The descriptors do not block. */

/* Writes that many, or as many as there is room for; returns how many. */
long bytes_put(int fd, long count);
/* Reads that many, or as many as are there; returns how many. */
long bytes_draw(int fd, long count);
/* How many are there; if the system cannot count, 1 for any. */
long bytes_unread(int fd);
/* Counts them on any system, if need be by drawing them and putting them back by the other end. */
long bytes_counted(int fd, int other);
