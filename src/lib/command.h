/* Running a command and staying beside it, as flock(1) does. */
#include <stddef.h>

/* Becomes the command, or returns 126 or 127 after a message. */
int command_exec(char **argv);
/* Starts it, without the descriptor lease (-1: none): 0, or 126 or 127 after a message. */
int command_start(char **argv, int lease);
/* Waits for that command: its status, or 128+n if signal n killed it. */
int command_wait(void);
/* Runs it without input or messages; text gets the first bytes of its output. 0; -1: not run. */
int command_answer(char **argv, char *text, size_t size);
/* 1 if a program of that name, along PATH, may be executed. */
int command_there(const char *name);
