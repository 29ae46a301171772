/* subject.c, answered by the target "report". */
#include <stdio.h>
#include <string.h>

#include "ground.h"

#define asking_open asking_opened
#define asking_send asking_sent
#define asking_line asking_lines
#define asking_close asking_closed
#include "../../src/tokstat/subject.c"
