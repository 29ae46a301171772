/*
 * The FIFOs of the builds of a dispenser that died (builds.h). A token that a build was offered is
 * a link to its FIFO: so a name in the directory is that of a token if it is the same file.
 */
#include <sys/types.h>

#include "../lease/names.h"

struct known {
	long slot;               /* the first of the build; 0: of the shared one */
	char name[NAMES_CLIENT]; /* of its holder, or "" */
	dev_t dev;
	ino_t ino;
};

struct knowns {
	int dir;                 /* the caller's */
	struct known *list;
	size_t count, room;
};

/* Finds those FIFOs in the directory. 0, or -1 with errno. */
int known_gather(struct knowns *knowns);
/* 1 and *found, for the name of a token of such a build; 0 for others, or -1 with errno. */
int known_find(const struct knowns *knowns, const char *name, const struct known **found);
/* Frees the list. */
void known_clear(struct knowns *knowns);
