/*
 * What a keeper of connections that was killed has left to the next one.
 *
 * leftovers_end() kills what is left of its session: all processes but session
 * itself, which is dead and was waited for just now. While one of the others lives
 * no new process gets that number; where there is one with it, there are none.
 * leftovers_release() takes away the FIFOs N.in and N.out in the directory: a job that
 * waits for an open of one goes on, and finds the end of it. Returns the highest N.
 */
#include <sys/types.h>

void leftovers_end(pid_t session);
long leftovers_release(int dir);
