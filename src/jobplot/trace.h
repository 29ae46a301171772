struct logged;
struct outbox;
struct rows;

/* Adds the jobs as trace events, which Perfetto and chrome://tracing show. Those of a row do not
   overlap. */
void trace_write(struct outbox *out, const struct logged *jobs, const struct rows *rows);
