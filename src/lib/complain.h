/* Messages: one line on standard error, "program: what: reason". */
#include <stdarg.h>

/* Set once, at the start of main. */
extern const char *program;
/* Called before each message, if it is set: it takes away what is drawn on standard error. */
extern void (*complain_first)(void);

/* Prints the text; where that ends in ':', the reason that errno holds follows. Keeps errno. */
void complain(const char *format, ...);
enum { COMPLAIN_ROOM = 1224 /* bytes */ };
/* That line, with its newline; control characters are shown as \xNN. Keeps errno. */
void complain_text(char *line, const char *format, va_list args);
/* The same, of a list of arguments. */
void complain_list(const char *format, va_list args);
/* Complains and exits with that status. */
void fail(int status, const char *format, ...);
/* That memory, just allocated; without it, fails. */
void *need_memory(void *memory);
