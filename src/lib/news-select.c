/* news.h by select(2): see hangup.h. A readable end means a close or unread bytes, and select
   reports these again and again until they are read. */
#include "news.h"

#ifdef POLL_NO_HANGUP
#include <sys/resource.h>
#include <sys/select.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "clock.h"
#include "descriptors.h"

enum { TICK = 1000 }; /* ms between two looks whether a reader has gone; no rest is longer */

/* Unread bytes that nobody wants to read must not make a busy loop. */
struct rest {
	int ms;           /* 0: none */
	long long until;  /* left out before that (clock.h) */
	int out;          /* was left out this time */
};

/* Makes open(2) fail rather than return a descriptor that select cannot name. */
int
news_open(struct news *news)
{
	struct rlimit limit;

	*news = (struct news){.epoll = -1};
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    (news->rests = calloc(FD_SETSIZE, sizeof *news->rests)) == NULL)
		return -1;
	if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= FD_SETSIZE)
		return 0;
	limit.rlim_cur = FD_SETSIZE;
	return setrlimit(RLIMIT_NOFILE, &limit);
}

long
news_most(void)
{
	return FD_SETSIZE;
}

void
news_awake(struct news *news, int fd)
{
	news->rests[fd].ms = 0;
}

/* A descriptor that rests is reported once its rest is over. */
static int
collect(struct news *news, fd_set *in, fd_set *out, long long *ms)
{
	struct pollfd *item = news->items, *end = item + news->count;
	long long now = clock_now();
	int highest = -1;

	FD_ZERO(in);
	FD_ZERO(out);
	for (; item < end; item++) {
		struct rest *rest = news->rests + item->fd;

		item->revents = 0;
		if (item->events & POLLERR)
			*ms = clock_sooner(*ms, TICK);
		rest->out = rest->ms > 0 && now < rest->until;
		if (rest->out) {
			*ms = clock_sooner(*ms, rest->until - now);
			continue;
		}
		if (item->events & (POLLIN | POLLHUP))
			FD_SET(item->fd, in);
		if (item->events & POLLOUT)
			FD_SET(item->fd, out);
		if (item->events != 0 && item->fd > highest)
			highest = item->fd;
	}
	return highest;
}

static int
reader_is_gone(int fd)
{
	/* Some systems report nothing if no event is asked for. */
	return descriptors_poll(fd, POLLOUT, 0) & (POLLERR | POLLHUP | POLLNVAL);
}

static void
look(struct pollfd *item, struct rest *rest, const fd_set *in, const fd_set *out)
{
	if (FD_ISSET(item->fd, in))
		item->revents = item->events & POLLIN ? POLLIN : POLLHUP;
	if (FD_ISSET(item->fd, out))
		item->revents |= POLLOUT;
	if ((item->events & POLLERR) && reader_is_gone(item->fd))
		item->revents |= POLLERR;
	if (rest->out)
		return;
	rest->ms = item->revents != POLLHUP ? 0 : rest->ms == 0 ? 1 : rest->ms * 2 > TICK ? TICK
	    : rest->ms * 2;
	rest->until = clock_now() + rest->ms;
}

int
news_wait(struct news *news, int ms)
{
	struct timeval time;
	fd_set in, out;
	long long wait = ms;
	int n, highest = collect(news, &in, &out, &wait);

	time.tv_sec = wait / 1000;
	time.tv_usec = wait % 1000 * 1000;
	news->next = 0;
	n = select(highest + 1, &in, &out, NULL, wait < 0 ? NULL : &time);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	for (size_t i = 0; i < news->count; i++)
		look(news->items + i, news->rests + news->items[i].fd, &in, &out);
	return 0;
}
#endif
