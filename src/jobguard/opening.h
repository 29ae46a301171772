/* The arguments of jobctl_open: options and a number. */
#include "../places/sites.h"
#include "arguments.h"

struct opening {
	const char *name; /* of the batch */
	char *shell; /* assignments for the shell, or "" */
	int borrows; /* the tokens are make's */
	int shows;   /* tokend writes to our standard output, or waits for its disk */
	struct sites sites; /* -S; none: all jobs run here */
	long long grace;    /* ms from TERM to KILL of jobs ... */
	long long patience; /* ... and of jobat */
};

/* Adds the words of tokend. grace is that of jobs here, in seconds. Exits with a message if an
   argument is wrong. */
void opening_read(struct opening *o, struct arguments *tokend, const char *grace, char **argv);
