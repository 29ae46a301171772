/* What jobctl_open is called with: options and a number. */
#include "arguments.h"

struct opening {
	char *shell; /* assignments that the shell is to make, or "" */
	int borrows; /* the tokens are make's */
	int shows;   /* tokend writes to our standard output, or waits for its disk */
};

/* Adds the words of tokend. Exits with a message where it makes no sense. */
void opening_read(struct opening *o, struct arguments *tokend, char **argv);
