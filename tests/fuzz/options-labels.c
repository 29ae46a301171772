/* labels.c, whose exit ends the run of the input and no more. */
#include <sys/types.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground.h"
#include "leaving.h"

#include "../../src/lib/room.c"
#include "../../src/tokend/labels.c"
