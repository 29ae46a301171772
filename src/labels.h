/*
 * The labels of slots 1, 2 ...: an array that grows.
 *
 * labels_add() appends one line of text, labels_read() each line of a file that is
 * not empty. Both exit with a message where that cannot be. The caller frees all.
 */
void labels_add(char ***labels, long *count, const char *label);
void labels_read(char ***labels, long *count, const char *path);
