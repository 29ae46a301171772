/* Requests of clients to their dispenser: lines that come by its inlet (tokend(5)). */
#include <stddef.h>

struct clients;

/* Takes a request, the line without '@' and newline: 0; -1: it is none. */
int asked_take(struct clients *c, const char *text, size_t length);
