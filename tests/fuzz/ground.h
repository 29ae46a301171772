/*
 * Common ground of the targets: each tests/fuzz/TARGET.c defines LLVMFuzzerTestOneInput(),
 * which gives the input to one real parser, and calls wrong() if that breaks a promise.
 * Driven by libFuzzer, or by replay.c, which reads files.
 *
 * Here are substitutes for complain.c, whose messages are formatted and dropped, and for
 * clock.c: a clock that only the input and the number of questions move.
 *
 * ground_clock() puts the clock forward; ground_pass() as a line "+N" says, 10^N ms, 10^5 at
 * most. wrong() prints the formatted text and aborts.
 * leaves() is 1 if the function called fail() or leave() instead of returning.
 * Sources that do so are read behind leaving.h, and the blocks they own then are given back.
 * ground_enter() makes a directory, the first time, and makes it the current one; it is
 * removed at the end; the clock begins anew, and a write to nobody is no signal. ground_anew()
 * empties the directory, too. ground_empty() removes all files in the directory of that name.
 * ground_write() makes a file of these bytes. ground_shut() closes the descriptor, and sets
 * it to -1. ground_descriptors() is how many are open.
 * ground_text() is the input as a string, without its NULs; the caller frees it.
 * line_next() cuts the next line off such a string: NULL at the end. Its newline
 * becomes a NUL.
 */
#include <stddef.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#ifndef __GNUC__
#define __attribute__(x)
#endif
void wrong(const char *format, ...) __attribute__((noreturn));
void ground_clock(long long ms);
void ground_pass(const char *line);
int leaves(void (*run)(void *), void *context);
void leave(int status) __attribute__((noreturn));
void ground_enter(void);
void ground_anew(void);
void ground_empty(const char *directory);
void ground_write(const char *path, const void *data, size_t size);
void ground_shut(int *fd);
int ground_descriptors(void);
char *ground_text(const unsigned char *data, size_t size);
char *line_next(char **rest);
