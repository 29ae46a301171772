/* Running a command and staying beside it, as flock(1) does. */
#include <stddef.h>

/* Becomes the command; or exits with 126 or 127 after a message. */
void command_exec(char **argv);
/* Starts it without the descriptor lease, or -1. Exits with 126 or 127 when it cannot. */
void command_start(char **argv, int lease);
/* The end of what was started: its status, or 128+n. */
int command_wait(void);
/* Runs it without input and messages; text has the first bytes of its output. 0, or -1. */
int command_answer(char **argv, char *text, size_t size);
/* 1 where there is a command of that name, along PATH, that may be executed. */
int command_there(const char *name);
