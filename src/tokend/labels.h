/* The labels of a dispenser's slots, in their order. A failure ends the program with a
   message. */
struct labels {
	char **list;
	size_t count, room;
};

/* Takes a copy of the label. */
void labels_add(struct labels *labels, const char *label);
/* Takes one from each line of a file. */
void labels_read(struct labels *labels, const char *path);
/* Frees all. */
void labels_clear(struct labels *labels);
