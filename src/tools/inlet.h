/*
 * A client's way into an inlet (or a lease, which takes returns as well).
 *
 * inlet_open(): the write end, non-blocking, closed on exec; the caller closes
 * it. Creates nothing and never waits. When it cannot be had, says why in one
 * message and exits: STATUS_GONE where no dispenser is behind it, else
 * STATUS_TROUBLE.
 * inlet_default(): the operand, or $FIFO where there is none; exits with a
 * message when that is not set either.
 * inlet_write(): one request or letter, at most PIPE_BUF bytes: all or nothing,
 * waiting while the inlet is full. Exits with a message when it cannot.
 * inlet_watch() waits until there is something to read from answers (-1: nothing is
 * read), or the inlet's last reader has gone, for at most ms, or for ever with -1; a
 * signal ends it, and it may return early. 1 when the reader has gone, else 0; -1
 * with errno. SIGPIPE must be ignored.
 */
#include <stddef.h>

const char *inlet_default(const char *operand);
int inlet_open(const char *path);
void inlet_write(int inlet, const char *path, const char *text, size_t length);
int inlet_watch(int inlet, int answers, long long ms);
