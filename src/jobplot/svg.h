struct logged;
struct outbox;
struct rows;

/* Adds a picture of the jobs, an SVG that needs nothing else. 0, or -1 without memory. */
int svg_write(struct outbox *out, const struct logged *jobs, const struct rows *rows);
