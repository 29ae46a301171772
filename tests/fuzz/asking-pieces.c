/* asking.c, reading its answer from the input of the target "asking". */
#define _XOPEN_SOURCE 700 /* before any header, as asking.c has it */
#include "leaving.h"
#include "pieces.h"

#define read read_piece
#include "../../src/tools/asking.c"
