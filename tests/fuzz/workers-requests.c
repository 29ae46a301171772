/* Before queue.c, whose functions have some of the same names. */
#include "../../src/jobpool/requests.c"
