/*
 * The descriptors that a server waits on, and what happens there: epoll(7) on Linux, whose cost
 * does not grow with their number, poll(2) elsewhere, and select(2) where hangup.h says so.
 * Events are those of poll(2), and all that matter are asked for: POLLHUP is that the last writer
 * has gone, or, with select, that there are bytes to read; POLLERR that the last reader has.
 * POLLHUP, POLLERR and POLLNVAL may come unasked. What returns int returns 0, or -1 with errno.
 */
#include <stddef.h>

#include <sys/select.h>

#include "hangup.h"

struct pollfd;
struct rest;

struct news {
	struct pollfd *items; /* what is waited on; with epoll, what has happened */
	size_t count, room;
	size_t next;          /* what news_next looks at */
	int epoll;            /* -1 where that is not used */
	struct rest *rests;   /* with select, by descriptor: news-select.c */
};

/* Begins with an empty set. With select it lowers the limit of open files to what that can name. */
int news_open(struct news *news);
/* Ends it; the descriptors stay open. */
void news_close(struct news *news);
/* The highest descriptor that can be in the set, plus one. */
long news_most(void);
/* Takes a descriptor into the set. A regular file has no news and may be added all the same. */
int news_add(struct news *news, int fd, short events);
/* Asks for other events of it. */
int news_change(struct news *news, int fd, short events);
/* Takes one out and closes it; does nothing for -1, and makes it that. */
void news_drop(struct news *news, int *fd);
/* Takes out one that stays open: here, or, as it was inherited, elsewhere. */
void news_forget(struct news *news, int fd);
/* Adds what to read for news, to wait by pselect(2) and signals; news_wait() tells then. All must
   be below FD_SETSIZE, where epoll is -1. The highest, or -1. */
int news_fds(const struct news *news, fd_set *set);
/* Waits at most ms, or for ever with -1; a signal ends it. */
int news_wait(struct news *news, int ms);
/* What nobody wanted to read a moment ago may be wanted now: news-select.c. */
void news_awake(struct news *news, int fd);
/* 1 and the next descriptor with its events, each once after a wait; 0 at the end. */
int news_next(struct news *news, int *fd, short *events);
