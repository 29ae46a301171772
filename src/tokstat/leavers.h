/*
 * A make or ninja that has a -j of its own on its command line leaves the pool: a make then makes
 * a jobserver of its own. A program that make starts gets MAKEFLAGS and no -j, so
 * the one that has it is the one that left.
 */
#include <sys/types.h>

struct family;
struct running;

/* Such a one, of that process and all that descends from it: "make -j8", for free(3); or NULL.
   all: all processes. */
char *leavers_find(struct running *running, const struct family *all, pid_t root);
