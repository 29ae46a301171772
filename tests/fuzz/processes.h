/* Substitutes for processes in the target "connections". */
#include <sys/types.h>
#include <sys/wait.h>

#include <signal.h>
#include <spawn.h>

int spawn_none(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const argv[], char *const environment[]);
int kill_none(pid_t pid, int sig);
pid_t wait_none(pid_t pid, int *status, int options);
int waitid_none(idtype_t kind, id_t id, siginfo_t *info, int options);
