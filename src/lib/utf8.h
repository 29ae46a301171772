/* Text, as shells and terminals take it. */
#include <stddef.h>

/* 1 for printable characters of UTF-8 and tabs alone. */
int utf8_is_text(const char *text, size_t length);
