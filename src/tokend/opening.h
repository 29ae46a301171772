/* The arguments of jobctl_open: options and a number. Include dispenser.h before. */
struct opening {
	const char *name;    /* of the batch */
	const char *count;   /* of jobs at once, or NULL; the places say how many slots */
	char *shell;         /* lines for the shell, "option VARIABLE VALUE", or "" */
	int borrows;         /* the tokens are make's, if it has some */
	int shows;           /* the dispenser writes to our output, or waits for its disk */
	struct sites sites;  /* -S; none: all jobs run here */
	long long grace;     /* ms from TERM to KILL of jobs ... */
	long long patience;  /* ... and of those at places */
};

/* Sets what the dispenser needs to know of them. grace is that of jobs here, in seconds. Exits with
   a message if an argument is wrong. */
void opening_read(struct opening *o, struct dispenser *d, const char *grace, char **argv);
/* Makes the directory of the sessions, and the file DIRECTORY/places. It assigns to
   _jobctl_place_NAME_3 the words that run a command at the place of slot 3, jobat(1), or nothing if
   that is here. 0, or -1 after a message. */
int opening_places(struct opening *o, const char *directory);
