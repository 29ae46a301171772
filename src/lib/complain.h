/* Messages: one line on standard error, "program: what: reason". */
/* Set once, at the start of main. */
extern const char *program;
/* If set, is called before each message, to erase what is drawn on standard error: 1 when the line
   is going to be shown there; NULL for the last one, which cannot wait. */
extern int (*complain_first)(const char *line);

/* Prints the text; if it ends in ':', the reason in errno follows. Keeps errno. */
void complain(const char *format, ...);
/* Prints a line, which has its newline, as complain() does. */
void complain_line(const char *line);
enum { COMPLAIN_ROOM = 1224 /* bytes of a line, at most */ };
/* Complains and exits with that status. */
void fail(int status, const char *format, ...);
/* Returns that memory, just allocated; exits with a message if it is NULL. */
void *need_memory(void *memory);
/* Raises the limit of open files to need, or exits with a message: count of what need so many. */
void need_descriptors(long need, long count, const char *what);
