/* news.h by select(2): see hangup.h. What it says of a read end may be a close or
   unread bytes, and it says it again until they are read. */
#include "hangup.h"
#include "news.h"

#ifdef POLL_NO_HANGUP
#include <sys/resource.h>
#include <sys/select.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "clock.h"

enum {
	TICK = 1000, /* ms between two looks whether a reader is gone, or how long we rest */
	MANY = 16
};

struct watched {
	int fd;
	short events, revents;
	int rest;         /* ms: unread bytes that nobody wants to read make no busy loop */
	long long until;  /* on the clock, and it is left out before that */
};

/* No descriptor may come to be that select cannot name: that open fails, for which
   everybody has an answer. */
int
news_open(struct news *news)
{
	struct rlimit limit;

	news->items = NULL;
	news->count = news->room = news->next = 0;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return -1;
	if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= FD_SETSIZE)
		return 0;
	limit.rlim_cur = FD_SETSIZE;
	return setrlimit(RLIMIT_NOFILE, &limit);
}

void
news_close(struct news *news)
{
	free(news->items);
	news->items = NULL;
	news->count = news->room = news->next = 0;
}

long
news_most(void)
{
	return FD_SETSIZE;
}

int
news_add(struct news *news, int fd, short events)
{
	struct watched *bigger, fresh = {0};
	size_t room = news->room * 2 + MANY;

	if (fd >= FD_SETSIZE) {
		errno = EMFILE;
		return -1;
	}
	if (news->count == news->room) {
		if ((bigger = realloc(news->items, room * sizeof *bigger)) == NULL)
			return -1;
		news->items = bigger;
		news->room = room;
	}
	fresh.fd = fd;
	fresh.events = events;
	news->items[news->count++] = fresh;
	return 0;
}

static struct watched *
find(struct news *news, int fd)
{
	size_t i;

	for (i = 0; i < news->count; i++)
		if (news->items[i].fd == fd)
			return news->items + i;
	return NULL;
}

int
news_change(struct news *news, int fd, short events)
{
	struct watched *item = find(news, fd);

	if (item == NULL) {
		errno = ENOENT;
		return -1;
	}
	item->events = events;
	item->rest = 0;
	return 0;
}

/* As in news.c: between two calls of news_next, too. */
void
news_remove(struct news *news, int fd)
{
	struct watched *item = find(news, fd);

	if (item == NULL)
		return;
	if (item < news->items + news->next) {
		*item = news->items[--news->next];
		item = news->items + news->next;
	}
	*item = news->items[--news->count];
}

void
news_forget(struct news *news, int fd)
{
	news_remove(news, fd);
}

static int
sooner(int ms, long long other)
{
	return ms < 0 || other < ms ? (int)(other < 0 ? 0 : other) : ms;
}

/* Who rests is told of by the time that it is no more. */
static int
collect(struct news *news, fd_set *in, fd_set *out, int *ms)
{
	struct watched *item = news->items, *end = item + news->count;
	long long now = clock_now();
	int highest = -1;

	FD_ZERO(in);
	FD_ZERO(out);
	for (; item < end; item++) {
		item->revents = 0;
		if (item->events & POLLERR)
			*ms = sooner(*ms, TICK);
		if (item->rest > 0 && now < item->until) {
			*ms = sooner(*ms, item->until - now);
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
	struct pollfd now = {0};

	now.fd = fd;
	now.events = POLLOUT; /* some systems tell nothing where nothing is asked */
	return poll(&now, 1, 0) > 0 && (now.revents & (POLLERR | POLLHUP | POLLNVAL));
}

static void
look(struct watched *item, const fd_set *in, const fd_set *out)
{
	if (FD_ISSET(item->fd, in))
		item->revents = item->events & POLLIN ? POLLIN : POLLHUP;
	if (FD_ISSET(item->fd, out))
		item->revents |= POLLOUT;
	if ((item->events & POLLERR) && reader_is_gone(item->fd))
		item->revents |= POLLERR;
	if (item->rest > 0 && clock_now() < item->until)
		return;
	item->rest = item->revents != POLLHUP ? 0 : item->rest == 0 ? 1 : item->rest * 2 > TICK ? TICK : item->rest * 2;
	item->until = clock_now() + item->rest;
}

int
news_wait(struct news *news, int ms)
{
	struct timeval time;
	fd_set in, out;
	size_t i;
	int n, highest = collect(news, &in, &out, &ms);

	time.tv_sec = ms / 1000;
	time.tv_usec = ms % 1000 * 1000;
	news->next = 0;
	n = select(highest + 1, &in, &out, NULL, ms < 0 ? NULL : &time);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	for (i = 0; i < news->count; i++)
		look(news->items + i, &in, &out);
	return 0;
}

int
news_next(struct news *news, int *fd, short *events)
{
	while (news->next < news->count) {
		struct watched *item = news->items + news->next++;

		if (item->revents == 0)
			continue;
		*fd = item->fd;
		*events = item->revents;
		item->revents = 0;
		return 1;
	}
	return 0;
}
#endif
