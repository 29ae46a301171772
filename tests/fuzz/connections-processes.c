/* child.c, with the processes of the target "connections". */
#include <sys/wait.h>

#include <signal.h>
#include <spawn.h>

#include "processes.h"

#define posix_spawnp spawn_none
#define kill kill_none
#define waitpid wait_none
#define waitid waitid_none
#include "../../src/lib/child.c"
