struct logged;
struct outbox;
struct rows;

/* Adds a report for a terminal of 80 columns. 0, or -1 without memory. */
int text_write(struct outbox *out, const struct logged *jobs, const struct rows *rows);
