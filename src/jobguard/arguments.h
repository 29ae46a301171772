/* The arguments of a command, never freed. Zeroed, there are none. */
#include <stddef.h>

struct arguments {
	char **list; /* ends with NULL */
	size_t count, room;
};

/* Adds one; without memory, exits with a message. */
void arguments_add(struct arguments *w, const char *format, ...);
/* Adds all of a list that ends with NULL. */
void arguments_append(struct arguments *w, char **list);
