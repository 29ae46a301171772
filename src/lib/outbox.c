#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outbox.h"

enum { FIRST = 4096 };

static int
make_room(struct outbox *box, size_t length)
{
	size_t used = box->end - box->start, room = box->room;
	char *bigger;

	/* Only where at least half of it has been written: moving is not to cost more. */
	if (box->start >= used && used + length <= room) {
		if (used > 0)
			memmove(box->bytes, box->bytes + box->start, used);
		box->start = 0;
		box->end = used;
		return 0;
	}
	do
		room = room * 2 + FIRST;
	while (room - box->end < length);
	if ((bigger = realloc(box->bytes, room)) == NULL)
		return -1;
	box->bytes = bigger;
	box->room = room;
	return 0;
}

int
outbox_add(struct outbox *box, const char *text, size_t length)
{
	if (length > box->room - box->end && make_room(box, length) != 0)
		return -1;
	if (length > 0)
		memcpy(box->bytes + box->end, text, length);
	box->end += length;
	return 0;
}

size_t
outbox_waits(const struct outbox *box)
{
	return box->end - box->start;
}

int
outbox_write(struct outbox *box, int fd, size_t most)
{
	size_t length = outbox_waits(box);
	ssize_t n;

	if (length == 0)
		return 0;
	n = write(fd, box->bytes + box->start, length < most ? length : most);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	box->start += (size_t)n;
	if (box->start == box->end)
		box->start = box->end = 0;
	return 0;
}

void
outbox_drop(struct outbox *box)
{
	free(box->bytes);
	box->bytes = NULL;
	box->start = box->end = box->room = 0;
}
