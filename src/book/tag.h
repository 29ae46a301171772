/* The tag before each line of a job's output, with the tab after it. */
#include <stddef.h>

struct outbox;

/* Text and a tab, in the colour of that job; bare: control characters are shown as \xNN, for a
   terminal would obey them. The caller frees it; NULL: no memory. */
char *tag_make(const char *text, long id, int coloured, int bare);
/* Appends text with the tag before each line, until the box holds that much. inside: the last line
   has still to end, before and after. 0, or -1 with ENOMEM. */
int tag_lines(struct outbox *box, const char *tag, const char *text, size_t length, int *inside);
