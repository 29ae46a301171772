#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attended.h"

/* One process has one standard output. */
static struct {
	struct outbox box;
	struct outbox told; /* lines said and not acknowledged */
	int lost, mute;
} queue;

static void
note_loss(int result)
{
	if (result == 0 || queue.lost)
		return;
	complain("standard output:");
	queue.lost = 1;
}

void
attendant_say(const char *format, ...)
{
	va_list args;

	if (queue.mute)
		return;
	va_start(args, format);
	note_loss(outbox_list(&queue.box, format, args));
	va_end(args);
}

void
attendant_tell(const char *format, ...)
{
	size_t before = outbox_waits(&queue.told);
	va_list args;

	if (queue.mute)
		return;
	va_start(args, format);
	note_loss(outbox_list(&queue.told, format, args));
	va_end(args);
	note_loss(outbox_add(&queue.box, outbox_bytes(&queue.told) + before,
	    outbox_waits(&queue.told) - before));
}

void
attendant_heard(void)
{
	const char *told = outbox_bytes(&queue.told);
	const char *end = memchr(told, '\n', outbox_waits(&queue.told));

	if (end != NULL)
		outbox_take(&queue.told, (size_t)(end + 1 - told));
}

void
attendant_again(void)
{
	note_loss(outbox_add(&queue.box, outbox_bytes(&queue.told), outbox_waits(&queue.told)));
}

void
attendant_mute(void)
{
	outbox_drop(&queue.box);
	outbox_drop(&queue.told);
	queue.mute = 1;
	queue.lost = 0;
}

/* We share the description of standard output with our parent, so we must not make it
   non-blocking. A pipe that polls writable takes PIPE_BUF bytes, and nobody else writes to it. An
   attendant that reads gets all, in order, or nothing more: then it knows that we have gone. */
int
attendant_flush(void)
{
	size_t waits;
	short events;

	while (!queue.lost && (waits = attendant_waits()) > 0) {
		events = descriptors_poll(STDOUT_FILENO, POLLOUT, 0);
		if (events & (POLLERR | POLLNVAL))
			return -1;
		if (!(events & POLLOUT))
			return 0;
		if (outbox_write(&queue.box, STDOUT_FILENO, OUTBOX_PIPE) != 0) {
			if (errno != EPIPE)
				complain("standard output:");
			queue.lost = 1;
		} else if (attendant_waits() == waits) {
			return 0;
		}
	}
	return queue.lost ? -1 : 0;
}

size_t
attendant_waits(void)
{
	return outbox_waits(&queue.box);
}
