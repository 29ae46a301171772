/* The program that runs sh at a place: ssh, or the words of $JOBCTL_RSH. */
#include <sys/types.h>

#include <stddef.h>

/* Its words, then the place and sh, with before free pointers in front of them; for the whole
   process. NULL with errno: EINVAL where there is no word. */
char **transport_words(const char *place, size_t before);
/* Starts it, as the leader of a process group, with pipes: *in to it, *out and *err from it; its
   standard error is ours if err is NULL. 0, or an error number: errno if words is NULL. */
int transport_start(char **words, pid_t *pid, int *in, int *out, int *err);
