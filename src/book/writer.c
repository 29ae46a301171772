#include <sys/stat.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "../lib/descriptors.h"
#include "tag.h"
#include "writer.h"

enum { ENOUGH = 131072 /* bytes with tags are made at once */ };

void
writer_open(struct writer *w, int fd)
{
	struct stat st;

	*w = (struct writer){.fd = fd, .own = -1};
	if (fstat(fd, &st) != 0 || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return; /* a write(2) says so */
	w->whole = S_ISREG(st.st_mode);
	w->own = descriptors_unblocked(fd);
	if (w->own >= 0) {
		w->fd = w->own;
		w->whole = 1;
	}
}

void
writer_drop(struct writer *w)
{
	w->left = 0;
	w->inside = 0;
	outbox_drop(&w->tagged);
}

void
writer_close(struct writer *w)
{
	writer_drop(w);
	descriptors_close(&w->own);
}

int
writer_take(struct writer *w, struct outbox *held, size_t length, const char *tag)
{
	ssize_t n;

	if (tag == NULL) {
		w->inside = outbox_bytes(held)[length - 1] != '\n';
		w->from = held;
		w->left = length;
		return 0;
	}
	n = tag_lines(&w->tagged, tag, outbox_bytes(held), length, &w->inside, ENOUGH);
	if (n < 0)
		return -1;
	outbox_take(held, (size_t)n);
	w->from = &w->tagged;
	w->left = outbox_waits(&w->tagged);
	return 0;
}

int
writer_write(struct writer *w)
{
	size_t before, most;

	while (w->left > 0) {
		if (!w->whole && !(descriptors_poll(w->fd, POLLOUT, 0)))
			return 0;
		if (w->before != NULL)
			w->before(w->context);
		before = outbox_waits(w->from);
		most = w->whole ? OUTBOX_ALL : OUTBOX_PIPE;
		if (outbox_write(w->from, w->fd, w->left < most ? w->left : most) != 0)
			return -1;
		if (outbox_waits(w->from) == before)
			return 0;
		w->left -= before - outbox_waits(w->from);
	}
	return 1;
}
