/* The names of all tasks so far. */
#include <stddef.h>

struct tasks {
	char **names;       /* a hash table with room for twice as many */
	size_t count, room;
};

/* Adds a copy of the name: 1, 0 when it was there before, or -1 with errno. */
int tasks_add(struct tasks *tasks, const char *name);
/* Frees them. */
void tasks_close(struct tasks *tasks);
