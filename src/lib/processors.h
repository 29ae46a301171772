/* How many processors this process may use. root is "" for the running system; a test gives a
   directory that stands for /. */

/* Those online, less what, on Linux, affinity and control groups (rounded up) leave; at least 1. */
long processors_usable(const char *root);
/* tokend -n: "8", "50%", "+2", "-1" of these processors. 0 and *count, or -1. */
int processors_count(const char *text, long processors, long most, long *count);
