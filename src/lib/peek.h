/* The first bytes of a file. */
#include <sys/types.h>

/* Reads less than size bytes, and adds a NUL; does not wait for the writer of a FIFO. How many, or
   -1 with errno, and "". */
ssize_t peek(const char *path, char *text, size_t size);
