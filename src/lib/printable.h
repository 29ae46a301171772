/* Text that is safe for a terminal: UTF-8, and nothing that moves the cursor or sets a colour. */
#include <stddef.h>

struct outbox;

/* Adds as many whole characters as fit into that many columns; returns how many columns they take.
   Bytes that are no printable character become \xNN. */
size_t printable_add(struct outbox *out, const char *text, size_t length, size_t columns);
/* The same for a string, into an array of that many bytes, without NUL: how many it takes. */
size_t printable_cut(char *to, size_t room, const char *text);
