/* Messages: one line on standard error, "program: what: reason". */
#include <stdarg.h>

/* Set once, at the start of main. */
extern const char *program;

/* Prints the text; where that ends in ':', the reason that errno holds follows. Keeps errno. */
void complain(const char *format, ...);
/* The same, of a list of arguments. */
void complain_list(const char *format, va_list args);
/* Complains and exits with that status. */
void fail(int status, const char *format, ...);
