/*
 * How many processors this process may use.
 *
 * processors_usable(root): those online, less what, on Linux, the affinity mask and
 * the quotas of the control groups it is in leave it; a quota of one and
 * a half counts as two. At least 1. root is "" for the running system; a test
 * gives a directory that stands for /.
 *
 * processors_cores(root): how many of these are cores of their own, where the system
 * tells which are threads of one core (Linux does); elsewhere the same number.
 *
 * count_scan(): the forms of tokend's -n. "8" is 8; "50%" of those usable,
 * rounded down; "+2" and "-1" are two more, one less. All but the plain number
 * give at least 1. Returns 0 and sets *count, or -1 for what is no count or
 * more than most.
 */
long processors_usable(const char *root);
long processors_cores(const char *root);
int count_scan(const char *text, long processors, long most, long *count);
