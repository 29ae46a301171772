#include <stddef.h>

struct logged;
struct rows;

/* How many jobs ran at once, on average, in each of that many equal parts of the time: for free(3);
   NULL without memory. */
double *profile_make(const struct logged *jobs, const struct rows *rows, size_t parts);
