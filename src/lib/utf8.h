/* Text, as shells and terminals take it. */
#include <stddef.h>

/* 1 for printable characters of UTF-8 and tabs alone. */
int utf8_is_text(const char *text, size_t length);
/* How many of these bytes are the first character, or 0 where they begin with none. */
size_t utf8_character(const char *text, size_t length);
/* How many bytes of a string to take, at most that many: the last character is whole. */
size_t utf8_cut(const char *text, size_t most);
