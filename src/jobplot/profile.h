#include <stddef.h>

struct jobs;
struct rows;

/* How many jobs ran at once, on average, in each of that many equal parts of the time: for free(3);
   NULL without memory. */
double *profile_make(const struct jobs *jobs, const struct rows *rows, size_t parts);
