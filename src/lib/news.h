/*
 * The descriptors that a server waits on, and their events: epoll(7) on Linux, whose cost
 * does not grow with their number, and poll(2) elsewhere. Events are those of poll(2), and callers
 * ask for each that matters: POLLHUP means that the last writer of a FIFO has gone, POLLERR that
 * the last reader has. POLLHUP, POLLERR and POLLNVAL may come unasked. Functions that return int
 * return 0, or -1 with errno.
 */
#include <stddef.h>

#include <sys/select.h>

#if defined __APPLE__
#error poll(2) of macOS does not report that a FIFO has lost its last writer, which we need
#endif

struct pollfd;

struct news {
	struct pollfd *items; /* the set; with epoll, events that have come */
	size_t count, room;
	size_t next;          /* item that news_next looks at */
	int epoll;            /* -1: not used */
};

/* Begins with an empty set. */
int news_open(struct news *news);
/* Ends it; the descriptors stay open. */
void news_close(struct news *news);
/* Adds a descriptor to the set. A regular file may be added, too, and never has news. */
int news_add(struct news *news, int fd, short events);
/* Asks for other events of a descriptor in the set. */
int news_change(struct news *news, int fd, short events);
/* Takes *fd out of the set, closes it, and sets it to -1; does nothing for -1. */
void news_drop(struct news *news, int *fd);
/* Takes out a descriptor that stays open: here, or in a process that inherited it. */
void news_forget(struct news *news, int fd);
/* Adds the descriptors to wait for by pselect(2), before news_wait(). Returns the highest, or -1.
   All must be below FD_SETSIZE if epoll is -1. */
int news_fds(const struct news *news, fd_set *set);
/* Waits for news, at most ms, or for ever with -1; a signal ends the wait. */
int news_wait(struct news *news, int ms);
/* 1 and the next descriptor with its events, each once after a wait; 0: there are no more. */
int news_next(struct news *news, int *fd, short *events);
