/* asking.c, which reads its answer from the input of the target "asking". */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ground.h"
#include "leaving.h"
#include "pieces.h"

#define read read_piece
#include "../../src/tools/asking.c"
