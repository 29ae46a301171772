/*
 * The labels of a dispenser's slots, in their order.
 *
 * labels_add() takes one more, which it copies; labels_read() one from each line of
 * a file. They exit with a message when that is no label, or cannot be done.
 * labels_clear() frees all.
 */
struct labels {
	char **list;
	long count;
};

void labels_add(struct labels *labels, const char *label);
void labels_read(struct labels *labels, const char *path);
void labels_clear(struct labels *labels);
