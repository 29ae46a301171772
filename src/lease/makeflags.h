/*
 * MAKEFLAGS tells a build of its jobserver, in the words and the order of GNU make. Two ways to one
 * jobserver are in
 *
 *	 -j5 --jobserver-fds=10,11 --jobserver-auth=10,11 -- --jobserver-auth=fifo:/path
 *
 * Every make takes the descriptors. The word after " -- " is a variable to make, which hands it on
 * to its commands, but without --jobserver-fds; ninja and cargo take the last jobserver they find.
 */
#include <stddef.h>

/* The length of the next word, backslashes included; *text moves behind it. 0 at the end. */
size_t makeflags_word(const char **text, const char **word);
/* The rest of a word that begins so (backslashes do not count), or NULL. */
const char *makeflags_after(const char *word, const char *with);
/* The absolute path with the suffix, to free; NULL after a message: MAKEFLAGS cannot carry it. */
char *makeflags_path(const char *path, const char *suffix);
/* 1 for an absolute path that MAKEFLAGS can carry; no shell needs quotes for it. */
int makeflags_carries(const char *path);
/* The old MAKEFLAGS with our size, path (or NULL), descriptors (or -1); to free. NULL: ENOMEM. */
char *makeflags_text(const char *old, long size, const char *path, int in, int out);
