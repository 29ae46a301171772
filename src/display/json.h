/* JSON, as RFC 8259 has it. */
#include <stddef.h>

struct outbox;

/* Adds those bytes as a string with its quotes: what is no UTF-8 becomes U+FFFD, a byte each. */
void json_string(struct outbox *out, const char *text, size_t length);
