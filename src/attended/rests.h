/* The places of slots, named by the labels: an unusable one rests (lib/rest.h). */
struct jobs;
struct lease;

/* A job did not begin at the place of that lease. If no place is left, no more jobs start. */
void rests_begin(struct jobs *jobs, const struct lease *lease, const char *why);
/* A job did. */
void rests_end(struct jobs *jobs, const struct lease *lease);
/* How long that lease gets no job; -1: its place was dropped. */
long long rests_wait_ms(const struct jobs *jobs, const struct lease *lease);
/* The label of a lease, or "?". */
const char *rests_label(const struct jobs *jobs, const struct lease *lease);
