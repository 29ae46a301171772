/*
 * The descriptors of this process.
 *
 * descriptors_fill() opens /dev/null for those of 0, 1 and 2 that are closed: the
 * next open would get that number, and a message would go into a file of ours.
 * Returns 0, or -1 with errno.
 * descriptors_allow() raises the limit of open files to need, or as far as it
 * goes, and returns what it is then (need or more where it does not matter).
 */
int descriptors_fill(void);
long descriptors_allow(long need);
