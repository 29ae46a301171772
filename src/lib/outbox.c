#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

enum { STEP = 256 /* bytes to grow by, at least */ };

static int
grow_box(struct outbox *box, size_t length)
{
	size_t used = box->end - box->start;
	char *bigger;

	if (length <= box->room - box->end)
		return 0;
	/* Bytes are moved only after as many were written: so moving costs less than writing. */
	if (box->start >= used && used + length <= box->room) {
		if (used > 0)
			memmove(box->bytes, box->bytes + box->start, used);
		box->start = 0;
		box->end = used;
		return 0;
	}
	if ((bigger = room_for(box->bytes, &box->room, box->end + length + STEP, 1)) == NULL) {
		box->lost = 1;
		return -1;
	}
	box->bytes = bigger;
	return 0;
}

int
outbox_add(struct outbox *box, const char *text, size_t length)
{
	if (grow_box(box, length) != 0)
		return -1;
	if (length > 0)
		memcpy(box->bytes + box->end, text, length);
	box->end += length;
	return 0;
}

int
outbox_list(struct outbox *box, const char *format, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (n < 0) {
		box->lost = 1;
		return -1;
	}
	if (grow_box(box, (size_t)n + 1) != 0)
		return -1;
	vsnprintf(box->bytes + box->end, (size_t)n + 1, format, args);
	box->end += (size_t)n;
	return 0;
}

int
outbox_say(struct outbox *box, const char *format, ...)
{
	va_list args;
	int result;

	va_start(args, format);
	result = outbox_list(box, format, args);
	va_end(args);
	return result;
}

ssize_t
outbox_read(struct outbox *box, int fd, size_t most)
{
	ssize_t n;

	if (grow_box(box, most) != 0)
		return -1;
	do
		n = read(fd, box->bytes + box->end, most);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		box->end += (size_t)n;
	return n;
}

size_t
outbox_printable(struct outbox *box, const char *text, size_t length, size_t columns)
{
	const char *end = text + length;
	size_t n, bytes, takes, used = 0;
	char shown[PRINTABLE_ONE];

	for (; text < end; text += n, used += takes) {
		bytes = printable_one(shown, text, (size_t)(end - text), &n, &takes);
		if (takes > columns - used)
			break;
		outbox_add(box, shown, bytes);
	}
	return used;
}

const char *
outbox_bytes(const struct outbox *box)
{
	return box->bytes == NULL ? "" : box->bytes + box->start;
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
	do
		n = write(fd, outbox_bytes(box), length < most ? length : most);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -1;
	outbox_take(box, (size_t)n);
	return 0;
}

int
outbox_flush(struct outbox *box, int fd)
{
	int bad = box->lost || descriptors_write(fd, outbox_bytes(box), outbox_waits(box)) != 0;
	int error = box->lost ? ENOMEM : errno;

	outbox_drop(box);
	errno = error;
	return bad ? -1 : 0;
}

void
outbox_take(struct outbox *box, size_t length)
{
	box->start += length;
	if (box->start == box->end)
		box->start = box->end = 0;
}

void
outbox_drop(struct outbox *box)
{
	free(box->bytes);
	*box = (struct outbox){0};
}

const char *
outbox_text(struct outbox *box)
{
	outbox_add(box, "", 1);
	if (box->lost)
		fail(STATUS_TROUBLE, "no memory:");
	return box->bytes + box->start;
}

char *
outbox_whole(struct outbox *box)
{
	if (box->lost)
		outbox_drop(box);
	return box->bytes;
}
