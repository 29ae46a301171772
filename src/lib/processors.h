/* How many processors this process may use. root is "" for the running system; a test gives a
   directory that stands for /. */

/* Those online or, if fewer, those that Linux's affinity and control groups (rounded up) allow. */
long processors_usable(const char *root);
/* tokend -n: "8", or "50%", "+2", "-1" of that many processors. 0 and *count, or -1. */
int processors_count(const char *text, long processors, long most, long *count);
