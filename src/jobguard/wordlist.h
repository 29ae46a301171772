/* The words of a command, which last as long as we do. Zeroed, there are none. */
#include <stddef.h>

struct words {
	char **list; /* ends with NULL */
	size_t count, room;
};

/* Adds one; exits with a message where there is no memory. */
void words_add(struct words *w, const char *format, ...);
/* Adds all of a list that ends with NULL. */
void words_copy(struct words *w, char **list);
