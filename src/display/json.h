/* JSON, by RFC 8259. */
#include <stddef.h>

struct outbox;

/* Adds those bytes as a string with quotes: each byte that is not UTF-8 becomes U+FFFD. */
void json_string(struct outbox *out, const char *text, size_t length);
/* 1 for a number, such as -1.5e3. */
int json_is_number(const char *text);
