/*
 * How a build is told of its jobserver: the variable MAKEFLAGS, in the words and
 * the order that GNU make itself uses.
 *
 * makeflags_path() is path and suffix, made absolute, which the caller may free; NULL
 * after a message where that has bytes that MAKEFLAGS cannot carry.
 * makeflags_carries() is 1 for such an absolute path: it needs no quotes in a shell either.
 * makeflags_text() is MAKEFLAGS as it is in the environment (old, or NULL), with our
 * -jSIZE and jobserver instead of another: by path, or, where that is NULL, by the
 * descriptors. The caller frees it; NULL for no memory.
 * makeflags_known() is 1 for the first line of the --version of GNU make.
 * makeflags_knows_paths() is 0 for the first line of the --version of a make that
 * knows descriptors only (GNU make before 4.4), else 1.
 */
char *makeflags_path(const char *path, const char *suffix);
int makeflags_carries(const char *path);
char *makeflags_text(const char *old, long size, const char *path, int in, int out);
int makeflags_known(const char *version);
int makeflags_knows_paths(const char *version);
