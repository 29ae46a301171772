/* Pieces of SVG. */
#include <stddef.h>

struct outbox;

/* Adds a text, escaped, in about as many bytes at most: what is left out is shown as an ellipsis.
   Bytes that are no UTF-8, and no character of XML 1.0, become U+FFFD. */
void markup_text(struct outbox *out, const char *text, size_t length, size_t most);
/* Adds the first characters that fit into that many columns; the last one is an ellipsis where some
   are left out. Newlines are blanks. */
void markup_columns(struct outbox *out, const char *text, size_t length, size_t columns);
/* Adds a number of tenths: "12.5", "12". */
void markup_tenths(struct outbox *out, long tenths);
/* Adds a rectangle, in tenths, for the d="" of a path. */
void markup_box(struct outbox *out, long x, long y, long width, long height);
