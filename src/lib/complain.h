/* Messages: one line on standard error, "program: what: reason". */
#include <stdarg.h>

/* Set once, at the start of main. */
extern const char *program;

/* Prints the text; where that ends in ':', the reason that errno holds follows. Keeps errno. */
void complain(const char *format, ...);
enum { COMPLAIN_ROOM = 1124 };
/* That line, with its newline, in so much room. Keeps errno. */
void complain_text(char *line, const char *format, va_list args);
/* The same, of a list of arguments. */
void complain_list(const char *format, va_list args);
/* Complains and exits with that status. */
void fail(int status, const char *format, ...);
