/* What jobctl_open is called with: options and a number. */
#include "../places/sites.h"
#include "arguments.h"

struct opening {
	const char *name; /* of the batch */
	char *shell; /* assignments that the shell is to make, or "" */
	int borrows; /* the tokens are make's */
	int shows;   /* tokend writes to our standard output, or waits for its disk */
	struct sites sites; /* -S; none: all jobs run here */
	long long grace;    /* ms until jobs that are to end are killed ... */
	long long patience; /* ... and jobat, where it has some */
};

/* Adds the words of tokend. grace is that of jobs here, in seconds. Exits with a message where it
   makes no sense. */
void opening_read(struct opening *o, struct arguments *tokend, const char *grace, char **argv);
