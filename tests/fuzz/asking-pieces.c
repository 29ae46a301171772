/* asking.c, reading its answer from the input of the target "asking". */
#include "leaving.h"
#include "pieces.h"

#define read read_piece
#include "../../src/tools/asking.c"
