/* The arguments of a command, which last as long as we do. Zeroed, there are none. */
#include <stddef.h>

struct arguments {
	char **list; /* ends with NULL */
	size_t count, room;
};

/* Adds one; exits with a message where there is no memory. */
void arguments_add(struct arguments *w, const char *format, ...);
/* Adds all of a list that ends with NULL. */
void arguments_append(struct arguments *w, char **list);
