/* A command and all that it has started: its group, and who descends from it, also in groups of
   their own. A process that has left these and its parents, as daemons do, is not known. */
#include "../lib/family.h"

struct brood {
	pid_t group, command; /* 0: not known */
	struct family known;  /* processes that were seen, and live */
};

/* Sends it to all but ourselves. How many there were. */
size_t brood_signal(struct brood *brood, int sig);
