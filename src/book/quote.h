/* Text shown on one line, as one would type it: a newline is shown as \n. */
#include <stddef.h>

struct outbox;

/* Adds the text as it is, but on one line. */
void quote_flat(struct outbox *out, const char *text, size_t length);
/* Adds a word as a shell wants it: in single quotes where there is anything to quote. */
void quote_word(struct outbox *out, const char *text, size_t length);
/* What the shell library has quoted, quoted as here, or flat; for free(3). NULL for no memory. */
char *quote_again(const char *text);
