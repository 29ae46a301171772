/* A client's way into an inlet; or into a lease, which takes returns as well. */
#include <stddef.h>

/* The operand, or $FIFO where there is none; exits with a message when that is not set either. */
const char *inlet_default(const char *operand);
/* That path; or where it is a symbolic link to a FIFO, the path of this, beside which its directory
   is. */
const char *inlet_path(const char *path);
/* The write end, for the caller to close. -1 with errno ENOENT or ENXIO; exits for others. */
int inlet_find(const char *path);
/* The same, but exits with STATUS_GONE and a message where no dispenser is behind it. */
int inlet_open(const char *path);
/* Writes a request, waiting for room until that time (clock.h; -1: for ever). 0, or -1 with errno:
   ETIMEDOUT; EPIPE: it went away, and there is no SIGPIPE. */
int inlet_send(int inlet, const char *text, size_t length, long long until);
/* When a dispenser has answered that is asked now for what it answers at once. */
long long inlet_soon(void);
/* Exits with that status: it has not. */
void inlet_fail(const char *path, int status);
/* The same, but exits with a message when it cannot. */
void inlet_write(int inlet, const char *path, const char *text);
/* Waits for answers (or -1), or until nobody writes into one of count others (NULL: none), at most
   ms, maybe less; -1 with errno. Others are also named from time to time without news. */
enum { INLET_SAME, INLET_GONE /* the last reader */, INLET_OTHERS, INLET_MOST = 16 /* others */ };
int inlet_watch(int inlet, int answers, const int *others, size_t count, long long ms);
