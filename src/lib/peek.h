/* The first bytes of a file. */
#include <sys/types.h>

/* Reads, without waiting for a writer of a FIFO, less than size bytes, and a NUL follows them: how
   many, or -1 with errno, and "". */
ssize_t peek(const char *path, char *text, size_t size);
