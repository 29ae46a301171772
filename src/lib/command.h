/* Running a command and staying beside it, as flock(1) does. */
#include <stddef.h>

/* Becomes the command; or exits with 126 or 127 after a message. */
void command_exec(char **argv);
/* Runs it as a child that has not the descriptor lease (or -1), passes on what signals a process sends
   us, and stops when a terminal stops it. Its exit status, or 128+n when signal n killed it; exits with
   a message when it cannot be run. */
int command_run(char **argv, int lease);
/* Runs it without input and messages; text has the first bytes of its output. 0, or -1. */
int command_answer(char **argv, char *text, size_t size);
