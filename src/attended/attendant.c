#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/outbox.h"
#include "attended.h"

enum { TRIES = 3 };

/* Lines said and not acknowledged. */
struct line {
	struct line *next;
	char *text;
};

/* One process has one standard output. */
static struct {
	struct outbox box;
	struct line *first, *last;
	int failures; /* of write, one after another */
	int lost, mute;
} queue;

static void
look(int result)
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
	look(outbox_list(&queue.box, format, args));
	va_end(args);
}

void
attendant_tell(const char *format, ...)
{
	struct outbox box = {0};
	struct line *line;
	va_list args;

	if (queue.mute)
		return;
	line = malloc(sizeof *line);
	va_start(args, format);
	look(outbox_list(&box, format, args));
	va_end(args);
	look(outbox_add(&queue.box, outbox_bytes(&box), outbox_waits(&box)));
	if (line == NULL || outbox_add(&box, "", 1) != 0) {
		look(-1);
		free(line);
		outbox_drop(&box);
		return;
	}
	line->text = outbox_whole(&box);
	line->next = NULL;
	*(queue.first == NULL ? &queue.first : &queue.last->next) = line;
	queue.last = line;
}

void
attendant_heard(void)
{
	struct line *line = queue.first;

	if (line == NULL)
		return;
	queue.first = line->next;
	free(line->text);
	free(line);
}

void
attendant_again(void)
{
	for (const struct line *line = queue.first; line != NULL; line = line->next)
		look(outbox_add(&queue.box, line->text, strlen(line->text)));
}

void
attendant_mute(void)
{
	outbox_drop(&queue.box);
	queue.mute = 1;
	queue.lost = 0;
}

/* A write has failed, or the poll before it: 0 to try again. An attendant that reads gets all, in
   order, or nothing more: then it knows that we have gone. */
static int
failed(void)
{
	if (errno == EINTR || (errno != EPIPE && ++queue.failures < TRIES))
		return 0;
	if (errno != EPIPE)
		complain("standard output:");
	queue.lost = 1;
	return -1;
}

/* We share the description of standard output with our parent, so we must not make it
   non-blocking. A pipe that polls writable takes PIPE_BUF bytes, and nobody else writes to it. */
int
attendant_flush(void)
{
	struct pollfd out = {STDOUT_FILENO, POLLOUT, 0};
	size_t waits;
	int ready;

	while (!queue.lost && attendant_waits() > 0) {
		if ((ready = poll(&out, 1, 0)) == 0)
			return 0;
		if (ready > 0 && (out.revents & (POLLERR | POLLNVAL)))
			return -1;
		if (ready > 0 && !(out.revents & POLLOUT))
			return 0;
		waits = attendant_waits();
		if (ready < 0 || outbox_write(&queue.box, STDOUT_FILENO, OUTBOX_PIPE) != 0) {
			if (failed() != 0) /* else again: nobody may call us any more */
				return -1;
		} else if (attendant_waits() == waits) {
			return 0;
		} else {
			queue.failures = 0;
		}
	}
	return queue.lost ? -1 : 0;
}

size_t
attendant_waits(void)
{
	return outbox_waits(&queue.box);
}
