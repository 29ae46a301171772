/* Who asks for tokens: a waiter, then a holder, and perhaps a build has a copy. Of one that holds
   tokens of an earlier dispenser we know only its name, and their count. */
#ifndef PARTY_H /* waiters.h and builds.h have it */
#define PARTY_H
#include "../lease/names.h"

enum { PRIORITIES = 10 /* 0 to 9 */, PRIORITY_USUAL = 5 };

struct party {
	char name[NAMES_CLIENT];
	long pid;                /* as it says itself, for people; 0: not known */
	int count;               /* tokens, all at once; of a build, without further ones */
	int priority;
	int shell;               /* we keep its lease open for a moment; a C brings it home */
	int silent;              /* says nothing when it returns */
	int build;               /* is a client of the jobserver, too ... */
	long cap;                /* ... with at most that many tokens, or 0 */
	char *command;           /* as it says itself, or NULL; a waiter or a holder frees it */
};
#endif
