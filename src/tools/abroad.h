/* A dispenser at another machine, HOST:FIFO (lib/fifo.h). FIFO begins where one logs in there,
   which ~/ says, too. */

/* FIFO, and in *host, for free(3), the other part; the whole and NULL where it is a path here.
   Exits with a message without memory, or where one of them is empty. */
const char *abroad_split(const char *operand, char **host);
/* Where operand is HOST:FIFO: becomes the program of these words there, with FIFO in place of that
   operand, which is the last one where argv has none. */
void abroad_become(char **argv, const char *operand);
