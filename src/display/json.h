/* JSON, by RFC 8259. */
#include <stddef.h>

struct outbox;

/* Adds those bytes as a string with quotes: each byte that is not UTF-8 becomes U+FFFD. */
void json_string(struct outbox *out, const char *text, size_t length);
/* 1 for a number, such as -1.5e3. */
int json_is_number(const char *text);
/* Reads a line that is one object, without arrays or objects in it, and calls back for each of its
   members. A '\0' must follow the line, at once or after blanks. The value of a string is decoded,
   in place; U+FFFD stands for NUL and for half a surrogate pair. Any other value is its text, such
   as -1e3 or null. Names and values end with '\0'. Returns 0; or the first value of the callback
   that is not 0; or -1 if the line is no such object: members before the fault were reported. */
int json_flat(char *line, size_t length, int (*member)(void *context, const char *name,
    char *value, size_t length, int is_string), void *context);
