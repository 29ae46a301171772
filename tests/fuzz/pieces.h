/* read_piece() is a read(2) that gives the next piece of the input for any fd. */
#include <sys/types.h>

ssize_t read_piece(int fd, void *to, size_t room);
