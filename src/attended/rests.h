/* The places of slots, which their labels name: one that cannot be used rests (lib/rest.h). */
#include <stddef.h>

struct jobs;
struct lease;

/* A job was not begun at the place of that lease. When no place is left, no more are started. */
void rests_begin(struct jobs *jobs, const struct lease *lease, const char *why, size_t length);
/* A job was. */
void rests_end(struct jobs *jobs, const struct lease *lease);
/* How long no job is to be given to that lease; -1: its place was dropped. */
long long rests_wait_ms(const struct jobs *jobs, const struct lease *lease);
/* The label of a lease, or "?". */
const char *rests_label(const struct jobs *jobs, const struct lease *lease);
