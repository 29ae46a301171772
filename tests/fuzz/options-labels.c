/* labels.c, as in the target "labels". */
#include "labels-exit.c"
