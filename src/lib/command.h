/*
 * Running a command and staying beside it, as flock(1) does.
 *
 * command_exec() becomes the command; it returns only by exiting with 126 or 127
 * after a message.
 * command_run() runs it as a child and returns its exit status, or 128+n when
 * signal n killed it. Signals that a process sends to us it gets too; those of a
 * terminal, which reach it anyhow, not twice. When a terminal stops it, so do we.
 * lease is a descriptor that the child closes, or -1. Exits with a message when it
 * cannot.
 * command_answer() runs it with no input and no messages, and has the first bytes of
 * what it writes; 0, or -1 when it cannot be run.
 * command_spawn() is posix_spawnp(3), but for a script without "#!" too.
 */
#include <sys/types.h>

#include <spawn.h>

void command_exec(char **argv);
int command_run(char **argv, int lease);
int command_answer(char **argv, char *text, size_t size);
int command_spawn(pid_t *pid, char **argv, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char **environment);
