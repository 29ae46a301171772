/* labels.c, as the target "labels" has it. */
#include "labels-exit.c"
