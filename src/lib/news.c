/* Only GNU C: struct epoll_event is packed, and the system's headers drop that for any other
   compiler (tcc). */
#if defined __linux__ && defined __GNUC__ && !defined PORTABLE
#include <sys/epoll.h>
#define HAVE_EPOLL 1
#endif
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib.h"

static int
append_item(struct news *news, int fd, short events, short revents)
{
	struct pollfd *bigger = room_for(news->items, &news->room, news->count + 1, sizeof *bigger);

	if (bigger == NULL)
		return -1;
	news->items = bigger;
	news->items[news->count].fd = fd;
	news->items[news->count].events = events;
	news->items[news->count++].revents = revents;
	return 0;
}

int
news_next(struct news *news, int *fd, short *events)
{
	while (news->next < news->count) {
		struct pollfd *item = news->items + news->next++;

		if (item->revents == 0)
			continue;
		*fd = item->fd;
		*events = item->revents;
		item->revents = 0;
		return 1;
	}
	return 0;
}

void
news_close(struct news *news)
{
	descriptors_close(&news->epoll);
	free(news->items);
	*news = (struct news){.epoll = -1};
}

int
news_fds(const struct news *news, fd_set *set)
{
	int highest = news->epoll;

	if (news->epoll >= 0)
		FD_SET(news->epoll, set);
	for (size_t i = 0; news->epoll < 0 && i < news->count; i++) {
		FD_SET(news->items[i].fd, set);
		if (news->items[i].fd > highest)
			highest = news->items[i].fd;
	}
	return highest;
}

#ifdef HAVE_EPOLL
enum { BATCH = 64 }; /* events at one call */

int
news_open(struct news *news)
{
	*news = (struct news){.epoll = epoll_create1(EPOLL_CLOEXEC)};
	return news->epoll < 0 ? -1 : 0;
}

/* The bits of poll and epoll are the same numbers on Linux. */
static int
control(struct news *news, int what, int fd, short events)
{
	struct epoll_event event = {0};

	event.events = (unsigned short)events;
	event.data.fd = fd;
	return epoll_ctl(news->epoll, what, fd, &event) == 0 || errno == EPERM ? 0 : -1;
}

int
news_add(struct news *news, int fd, short events)
{
	return control(news, EPOLL_CTL_ADD, fd, events);
}

int
news_change(struct news *news, int fd, short events)
{
	return control(news, EPOLL_CTL_MOD, fd, events);
}

/* epoll forgets a descriptor once it is closed, as no other process has the same open file. */
void
news_drop(struct news *news, int *fd)
{
	(void)news;
	descriptors_close(fd);
}

void
news_forget(struct news *news, int fd)
{
	control(news, EPOLL_CTL_DEL, fd, 0);
}

int
news_wait(struct news *news, int ms)
{
	struct epoll_event events[BATCH];
	int i, n = epoll_wait(news->epoll, events, BATCH, ms);

	news->count = news->next = 0;
	if (n < 0)
		return errno == EINTR ? 0 : -1;
	for (i = 0; i < n; i++)
		if (append_item(news, events[i].data.fd, 0, (short)events[i].events) != 0)
			break; /* the others come with the next wait */
	return 0;
}
#else
static struct pollfd *
find_item(struct news *news, int fd)
{
	for (size_t i = 0; i < news->count; i++)
		if (news->items[i].fd == fd)
			return news->items + i;
	return NULL;
}

int
news_add(struct news *news, int fd, short events)
{
	return append_item(news, fd, events, 0);
}

int
news_change(struct news *news, int fd, short events)
{
	struct pollfd *item = find_item(news, fd);

	if (item == NULL) {
		errno = ENOENT;
		return -1;
	}
	item->events = events;
	return 0;
}

/* May come between two calls of news_next(): an item that was looked at moves to the place of one
   that was, and an item that was not to the place of one that was not. */
void
news_forget(struct news *news, int fd)
{
	struct pollfd *item = find_item(news, fd);

	if (item == NULL)
		return;
	if (item < news->items + news->next) {
		*item = news->items[--news->next];
		item = news->items + news->next;
	}
	*item = news->items[--news->count];
}

void
news_drop(struct news *news, int *fd)
{
	news_forget(news, *fd);
	descriptors_close(fd);
}

int
news_open(struct news *news)
{
	*news = (struct news){.epoll = -1};
	return 0;
}

int
news_wait(struct news *news, int ms)
{
	news->next = 0;
	if (poll(news->items, news->count, ms) >= 0)
		return 0;
	for (size_t i = 0; i < news->count; i++)
		news->items[i].revents = 0;
	return errno == EINTR || errno == EAGAIN ? 0 : -1;
}
#endif
