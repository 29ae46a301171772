/* How many processors this process may use. root is "" for the running system; a test gives a directory
   that stands for /. */

/* Those online, less what, on Linux, the affinity mask and the quotas of our control groups leave; a quota
   of one and a half counts as two. At least 1. */
long processors_usable(const char *root);
/* How many of these are cores of their own, where the system tells which are threads of one core. */
long processors_cores(const char *root);
/* The forms of tokend -n, of these processors: "8", "50%" (rounded down), "+2", "-1"; at least 1 but for
   the first. 0 and *count, or -1 for what is no count or more than most. */
int processors_count(const char *text, long processors, long most, long *count);
