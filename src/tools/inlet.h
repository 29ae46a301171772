/* A client's way into an inlet; or into a lease, which takes returns as well. */
#include <stddef.h>

/* The operand, or $FIFO where there is none; exits with a message when that is not set either. */
const char *inlet_default(const char *operand);
/* The write end, for the caller to close; makes nothing and never waits. -1 with errno: ENOENT where there is none, ENXIO
   where nobody reads it; exits with a message for anything else. */
int inlet_find(const char *path);
/* The same, but exits with STATUS_GONE and a message where no dispenser is behind it. */
int inlet_open(const char *path);
/* Writes one request or letter, at most PIPE_BUF bytes: all or nothing, waiting while the inlet is full. 0, or -1 with
   errno: EPIPE when the dispenser went away. Ignores SIGPIPE from then on. */
int inlet_send(int inlet, const char *text, size_t length);
/* The same, but exits with a message when it cannot. */
void inlet_write(int inlet, const char *path, const char *text);
/* Waits until there is something to read from answers (or -1), or the inlet's last reader has gone, for at most ms, or
   for ever with -1; a signal ends it, and it may return early. 1 when the reader has gone, else 0; -1 with errno. SIGPIPE
   must be ignored. */
int inlet_watch(int inlet, int answers, long long ms);
