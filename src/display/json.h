/* JSON, as RFC 8259 has it. */
#include <stddef.h>

struct outbox;

/* Adds those bytes as a string with its quotes: what is no UTF-8 becomes U+FFFD, a byte each. */
void json_string(struct outbox *out, const char *text, size_t length);
/* 1 where that is a number, such as -1.5e3. */
int json_is_number(const char *text);
/* Reads a line that is one object, without arrays or objects in it, and calls back for each of its
   members. The value of a string is decoded, in place; U+FFFD stands for NUL and for half a
   surrogate pair. Any other value is its text, such as -1e3 or null. Names and values end with
   '\0'. Returns 0, or what the callback returned if that is not 0, or -1 where the line is none:
   members before the fault have been told then. */
int json_flat(char *line, size_t length, int (*member)(void *context, const char *name,
    char *value, size_t length, int is_string), void *context);
