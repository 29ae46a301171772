/* The program that runs sh at a place: ssh, or the words of $JOBCTL_RSH. */
#include <stddef.h>

/* Its words, then the place and sh, with before free pointers in front of them; for the whole
   process. NULL with errno: EINVAL where there is no word. */
char **transport_words(const char *place, size_t before);
