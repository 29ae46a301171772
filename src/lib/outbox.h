/* Bytes that wait until a descriptor has room for them. Zeroed, it is empty. */
#ifndef OUTBOX_H /* feed.h has it, too */
#define OUTBOX_H
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif
enum {
	OUTBOX_ALL = INT_MAX,
	OUTBOX_PIPE = PIPE_BUF /* to write without blocking after poll or select */
};

struct outbox {
	char *bytes;
	size_t start, end, room;
	int lost; /* outbox_add() has failed: some bytes are missing */
};

/* Appends a copy of these bytes: 0, or -1 with errno ENOMEM. */
int outbox_add(struct outbox *box, const char *text, size_t length);
/* Appends as many whole characters as fit into that many columns, as printable.h shows them. How
   many columns they take. */
size_t outbox_printable(struct outbox *box, const char *text, size_t length, size_t columns);
/* Appends the formatted line: 0, or -1 with errno ENOMEM. */
int outbox_say(struct outbox *box, const char *format, ...);
/* The same with a list of arguments. */
int outbox_list(struct outbox *box, const char *format, va_list args);
/* Reads once, and appends the bytes: how many, 0 at the end, or -1 with errno. */
ssize_t outbox_read(struct outbox *box, int fd, size_t most);
/* The bytes that wait; good until the next call. */
const char *outbox_bytes(const struct outbox *box);
/* The same as a string: adds a NUL. Exits with a message if some are lost. */
const char *outbox_text(struct outbox *box);
/* How many bytes wait. */
size_t outbox_waits(const struct outbox *box);
/* Writes once, at most that many. 0, also without room, or -1 with errno. */
int outbox_write(struct outbox *box, int fd, size_t most);
/* Writes all, as descriptors_write(), and drops it. 0, or -1 with errno, also if some are lost. */
int outbox_flush(struct outbox *box, int fd);
/* Drops the first length bytes. */
void outbox_take(struct outbox *box, size_t length);
/* Drops and frees all. */
void outbox_drop(struct outbox *box);
/* The bytes, for the caller to free, if none was written; NULL if some are lost. */
char *outbox_whole(struct outbox *box);
#endif
