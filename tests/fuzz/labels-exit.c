/* labels.c, whose exit ends the run of the input and no more. */
#include "leaving.h"

#include "../../src/lib/room.c"
#include "../../src/tokend/labels.c"
