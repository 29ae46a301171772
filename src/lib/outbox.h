/* Bytes that wait until a descriptor has room for them. Zeroed, it is empty. */
#include <stddef.h>

struct outbox {
	char *bytes;
	size_t start, end, room;
};

/* Appends a copy of these bytes: 0, or -1 with errno ENOMEM. */
int outbox_add(struct outbox *box, const char *text, size_t length);
/* Appends the formatted text, cut at OUTBOX_LINE bytes with a newline at their end. */
int outbox_say(struct outbox *box, const char *format, ...);
enum { OUTBOX_LINE = 4096 };
/* How many bytes wait. */
size_t outbox_waits(const struct outbox *box);
/* Writes once, at most that many bytes. 0, also where there was no room, or -1 with errno. (After
   poll or select, PIPE_BUF bytes do not block even where the descriptor would.) */
int outbox_write(struct outbox *box, int fd, size_t most);
/* Forgets and frees them. */
void outbox_drop(struct outbox *box);
