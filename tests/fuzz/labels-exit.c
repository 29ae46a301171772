/* labels.c, but its exit ends only the run of the input. */
#include "leaving.h"

#include "../../src/lib/room.c"
#include "../../src/tokend/labels.c"
