/* Text as a terminal may have it: no byte of it moves the cursor, sets a colour or is no UTF-8. */
#include <stddef.h>

struct outbox;

/* Adds as many whole characters as fit into so many columns, and returns how many these take. What
   is no printable character is shown as \xNN. */
size_t printable_add(struct outbox *out, const char *text, size_t length, size_t columns);
