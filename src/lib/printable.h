/* Text that is safe for a terminal: UTF-8, and nothing that moves the cursor or sets a colour. */
#include <stddef.h>

enum { PRINTABLE_ONE = 17 };

/* What the first character of the text is shown as, \xNN for bytes that are none: how long that is.
   *n is how many bytes it has now. */
size_t printable_one(char shown[PRINTABLE_ONE], const char *text, size_t length, size_t *n,
    size_t *columns);
/* Writes as many whole characters of a string as fit into that many bytes, without NUL: how many
   bytes they take. */
size_t printable_cut(char *to, size_t room, const char *text);
