/* read_piece() is read(2) that gives the next piece of the input, whatever fd is. */
#include <sys/types.h>

ssize_t read_piece(int fd, void *to, size_t room);
/* tokget -, whose standard input is that. */
void read_pipe(void *context);
