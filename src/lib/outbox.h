/*
 * Bytes that wait until a descriptor has room for them.
 *
 * outbox_add() appends some, of which we keep a copy: 0, or -1 with errno ENOMEM.
 * outbox_waits() is how many there are. outbox_write() writes once, at most so many
 * (PIPE_BUF after select(2): then a pipe that is not ours to be made non-blocking does
 * not block), and returns 0, or -1 with errno; that there was no room is no error.
 * outbox_drop() forgets and frees them.
 */
#include <stddef.h>

struct outbox {
	char *bytes;
	size_t start, end, room;
};

int outbox_add(struct outbox *box, const char *text, size_t length);
size_t outbox_waits(const struct outbox *box);
int outbox_write(struct outbox *box, int fd, size_t most);
void outbox_drop(struct outbox *box);
