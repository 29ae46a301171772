/* tokget.c, with the input of the target "asking" as its pipe. */
#include "leaving.h"
#include "pieces.h"

#define read read_piece
int tokget_main(int argc, char **argv);
#define main tokget_main
#include "../../src/tools/tokget.c"

void
read_pipe(void *context)
{
	(void)context;
	take_from_pipe();
}
