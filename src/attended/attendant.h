/*
 * What goes to the attendant: a queue in front of standard output, which is
 * written only when it takes bytes without blocking.
 *
 * attendant_say() queues the formatted line, of at most PIPE_BUF bytes;
 * attendant_fill() count times the byte. Where there is no memory for it, a
 * token would be lost: that is complained of, and the next flush fails.
 * attendant_flush() writes what can be written now: -1 when the reader is gone
 * or something was lost, else 0. attendant_waiting() is the bytes left.
 */
#include <stddef.h>

void attendant_say(const char *format, ...);
void attendant_fill(char byte, long count);
int attendant_flush(void);
size_t attendant_waiting(void);
