/* sh -c ABROAD_RUN PROGRAM HOST ARGUMENT... there: becomes the program, or says what to do. */
#define ABROAD_RUN \
	"command -v \"$0\" >/dev/null || { echo \"$0: $1: no $0 on PATH there: install it in " \
	"/usr/local/bin, or set PATH in ~/.zshenv or at the top of ~/.bashrc\" >&2; exit 127; }; " \
	"shift; exec \"$0\" \"$@\""

/* A dispenser at another machine, HOST:FIFO (lib/fifo.h). FIFO begins where one logs in there,
   which ~/ says, too. */

/* FIFO, and in *host, for free(3), the other part; the whole and NULL where it is a path here.
   Exits with a message without memory, or where one of them is empty. */
const char *abroad_split(const char *operand, char **host);
/* Where operand is HOST:FIFO: becomes the program of these words there, with FIFO in place of that
   operand, which is the last one where argv has none. */
void abroad_become(char **argv, const char *operand);
