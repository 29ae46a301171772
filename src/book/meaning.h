/* The meaning of a command in a log, however its words are quoted there. */
#include <stddef.h>

/* A hash of it, which differs with the seed: the same for a\ b and 'a b', which jobctl and GNU
   parallel write. Where there is more to it than such words, that of the text as it is. */
unsigned long long meaning_hash(const char *text, size_t length, unsigned long long seed);
