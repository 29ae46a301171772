/*
 * The descriptors that tokend waits on, and what happens on them: epoll(7) on
 * Linux, whose cost does not grow with their number, poll(2) elsewhere, and
 * select(2) where that says too little of a FIFO: see hangup.h.
 *
 * events are those of poll(2), and all that matter are asked for: POLLHUP is that
 * the last writer has gone, or, with select, that there are bytes to read; POLLERR
 * that the last reader has. POLLHUP, POLLERR and POLLNVAL may come unasked.
 *
 * news_open() and news_close() begin and end with an empty set.
 * news_add() takes a descriptor into the set, news_change() asks for other events
 * of it, news_remove() must come before it is closed, and news_forget() takes out
 * one that stays open, here or, what was inherited, elsewhere. A regular file has no
 * news and may be added all the same.
 * news_wait() waits, at most ms milliseconds, or for ever with -1; a signal ends
 * it. Then news_next() gives 1 and one descriptor with its events at a time, and
 * 0 when there are no more: each descriptor at most once.
 * news_most() is how high descriptors may be, plus one; news_open() lowers the limit
 * of open files to it.
 * All return 0, or -1 with errno, if nothing else is said.
 */
#include <stddef.h>

#include "hangup.h"

struct news {
#ifdef POLL_NO_HANGUP
	struct watched *items;
#else
	int epoll;             /* -1 where that is not used */
	struct pollfd *items;  /* the set with poll, what happened with epoll */
#endif
	size_t count, room;
	size_t next;           /* what news_next looks at */
};

int news_open(struct news *news);
void news_close(struct news *news);
long news_most(void);
int news_add(struct news *news, int fd, short events);
int news_change(struct news *news, int fd, short events);
void news_remove(struct news *news, int fd);
void news_forget(struct news *news, int fd);
int news_wait(struct news *news, int ms);
int news_next(struct news *news, int *fd, short *events);
