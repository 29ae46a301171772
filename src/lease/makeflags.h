/* How a build is told of its jobserver: the variable MAKEFLAGS, in the words and the order of GNU make. */
#include <stddef.h>

/* The next word, which ends at a blank that no backslash protects; *text moves behind it. Its length, with
   backslashes; 0 at the end. */
size_t makeflags_word(const char **text, const char **word);
/* What follows that beginning of a word, backslashes left out of account; NULL when it begins otherwise. */
const char *makeflags_after(const char *word, const char *with);
/* Path and suffix, made absolute; the caller frees it. NULL after a message where MAKEFLAGS cannot carry it. */
char *makeflags_path(const char *path, const char *suffix);
/* 1 for an absolute path that MAKEFLAGS can carry; no shell needs quotes for it. */
int makeflags_carries(const char *path);
/* MAKEFLAGS as it was (or NULL), with our -jSIZE and jobserver in place of another: by path, or, where that
   is NULL, by the descriptors. The caller frees it; NULL for no memory. */
char *makeflags_text(const char *old, long size, const char *path, int in, int out);
/* 1 for the first line of the --version of GNU make. */
int makeflags_known(const char *version);
/* 0 for that of a make that knows descriptors only (GNU make before 4.4), else 1. */
int makeflags_knows_paths(const char *version);
