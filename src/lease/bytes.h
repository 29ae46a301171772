/*
 * Bytes in a FIFO, each of which is a token: the value says nothing. The descriptors
 * do not block.
 *
 * bytes_put() writes so many, or as many as there is room for, and returns how many.
 * bytes_draw() reads so many, or as many as are there, and returns how many.
 * bytes_unread() is how many are there; 1 for some where the system cannot count.
 * bytes_counted() counts them everywhere: where it has to, by taking them out for a
 * moment, and putting them back by the other end.
 */
long bytes_put(int fd, long count);
long bytes_draw(int fd, long count);
long bytes_unread(int fd);
long bytes_counted(int fd, int other);
