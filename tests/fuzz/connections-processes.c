/* connection.c, whose processes are those of the target "connections". */
#include <sys/stat.h>
#include <sys/wait.h>

#include <signal.h>
#include <stdlib.h>

#include "processes.h"

#include "../../src/lib/command.h"

#define command_spawn spawn_none
#define kill kill_none
#define waitpid wait_none
#include "../../src/jobkeep/connection.c"
