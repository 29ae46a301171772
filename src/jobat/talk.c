#include <stdint.h>
#include <string.h>

#include "jobat.h"

enum { HEAD = 1 + sizeof(uint32_t) };

/* Each frame ends with a NUL, which its length leaves out. */
void
talk_add(struct outbox *out, enum talk kind, const char *bytes, size_t length)
{
	char head[HEAD];
	uint32_t n = (uint32_t)length;

	head[0] = (char)kind;
	memcpy(head + 1, &n, sizeof n);
	outbox_add(out, head, sizeof head);
	outbox_add(out, bytes, length);
	outbox_add(out, "", 1);
	if (out->lost)
		fail(STATUS_TROUBLE, "no memory:");
}

int
talk_next(struct outbox *in, const char **bytes, size_t *length)
{
	const char *head = outbox_bytes(in);
	uint32_t n;

	if (outbox_waits(in) < HEAD)
		return 0;
	memcpy(&n, head + 1, sizeof n);
	if (n > TALK_MOST || strchr("DEJToesnl", *head) == NULL || *head == '\0')
		return -1;
	if (outbox_waits(in) < HEAD + n + 1)
		return 0;
	if (head[HEAD + n] != '\0')
		return -1;
	*bytes = head + HEAD;
	*length = n;
	outbox_take(in, HEAD + n + 1);
	return *head;
}
