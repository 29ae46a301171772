/*
 * Messages: one line on standard error, "program: what: reason".
 *
 * program is set once, at the start of main.
 * complain() prints the formatted text; where the text ends in ':' the reason
 * that errno holds is appended. errno is left as it was.
 * fail() complains and exits with the status given.
 */
extern const char *program;

void complain(const char *format, ...);
void fail(int status, const char *format, ...);
