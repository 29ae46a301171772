/* Where a line is split into columns: a regular expression, as regcomp(3) has them in egrep(1), and
   \t and \s, which people write. */
#include <stddef.h>

struct columns;

/* Exits after a message where that is no such thing, or matches what is empty. */
struct columns *columns_open(const char *expression);
/* Frees it; NULL: nothing. */
void columns_close(struct columns *columns);
/* Where the first column ends and the next begins, 1; or 0, it is the last. begins: text is a whole
   line. */
int columns_split(const struct columns *columns, const char *text, int begins, size_t *end,
    size_t *next);
