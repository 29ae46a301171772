/* Messages: one line on standard error, "program: what: reason". */
#include <stdarg.h>

/* Set once, at the start of main. */
extern const char *program;
/* If set, is called before each message, to erase what is drawn on standard error. */
extern void (*complain_first)(void);

/* Prints the text; if it ends in ':', the reason in errno follows. Keeps errno. */
void complain(const char *format, ...);
enum { COMPLAIN_ROOM = 1224 /* bytes */ };
/* Writes that line into COMPLAIN_ROOM bytes, control characters as \xNN. Keeps errno. */
void complain_text(char *line, const char *format, va_list args);
/* complain() with a list of arguments. */
void complain_list(const char *format, va_list args);
/* Complains and exits with that status. */
void fail(int status, const char *format, ...);
/* Returns that memory, just allocated; exits with a message if it is NULL. */
void *need_memory(void *memory);
