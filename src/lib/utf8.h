/* Text, as shells and terminals take it. */
#include <stddef.h>

/* 1 if there are only printable characters of UTF-8 and tabs. */
int utf8_is_text(const char *text, size_t length);
/* The length of the first character; 0: the bytes begin with none. */
size_t utf8_character(const char *text, size_t length);
/* How many bytes of a string to take, at most that many, so that the last character is whole. */
size_t utf8_cut(const char *text, size_t most);
