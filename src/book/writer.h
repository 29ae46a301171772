/*
 * Writes lines to a descriptor without blocking, with a tag before each, from where they are held.
 */
#include "../lib/outbox.h"

struct writer {
	int fd, own;          /* own: we opened it, and it does not block; or -1 */
	int whole;            /* it takes any size at once, or as much as it can */
	int inside;           /* what was taken last ends within a line */
	struct outbox *from;  /* what is being written, with its tags: its first */
	size_t left;          /* ... bytes */
	struct outbox tagged;
	void (*before)(void *); /* called before each write, with ... */
	void *context;          /* ... this; or NULL; both the caller's to set */
};

/* Begins with that descriptor, which stays the caller's. */
void writer_open(struct writer *w, int fd);
/* Forgets what is not written. */
void writer_close(struct writer *w);
/* The same; another line may be taken, and would be the first. */
void writer_drop(struct writer *w);
/* Takes the bytes to write next, when none is left: that much of those held, or, with a tag, at
   least a part. The tag is NULL for none. 0, or -1 with errno ENOMEM. */
int writer_take(struct writer *w, struct outbox *held, size_t length, const char *tag);
/* Writes: 1 when nothing is left, 0 when the reader takes no more now, or -1 with errno. */
int writer_write(struct writer *w);
