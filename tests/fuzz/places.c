/*
 * Input from another machine, or between two jobats. The first byte says which of the two, and how
 * long the pieces are in which it comes: that must not change the words heard.
 */
#include <stdlib.h>
#include <string.h>

#include "../../src/places/places.h"

#include "../../src/jobat/jobat.h"
#include "ground.h"

#define TOKEN "\036tk "

/* All words heard, each after 'w' and ended by '\n'; bytes of jobs, each after a 'b'. */
static void
hear_wire(struct wire *wire, int at_end, struct outbox *heard)
{
	const char *text;
	size_t length;
	int kind;

	while ((kind = wire_next(wire, at_end, &text, &length)) >= 0) {
		if (kind == 1 && (length > WIRE_WORD || text[length] != '\0'))
			wrong("a word of %zu bytes", length);
		if (kind == 1)
			outbox_say(heard, "w%s\n", text);
		for (size_t i = 0; kind == 0 && i < length; i++) {
			outbox_add(heard, "b", 1);
			outbox_add(heard, text + i, 1);
		}
	}
}

/* -1 for words that no jobat says: the hearer hangs up. */
static int
hear_talk(struct outbox *in, struct outbox *heard)
{
	const char *bytes;
	size_t length;
	int kind;

	while ((kind = talk_next(in, &bytes, &length)) > 0) {
		if (bytes[length] != '\0')
			wrong("a frame of %zu bytes without its end", length);
		talk_add(heard, (enum talk)kind, bytes, length);
	}
	return kind;
}

static void
hear(int talks, const unsigned char *data, size_t size, size_t piece, struct outbox *heard)
{
	struct wire wire = {.token = TOKEN};
	size_t n;

	for (; size > 0; data += n, size -= n) {
		n = size < piece ? size : piece;
		if (outbox_add(&wire.held, (const char *)data, n) != 0)
			wrong("no memory");
		if (talks && hear_talk(&wire.held, heard) < 0)
			break;
		if (!talks)
			hear_wire(&wire, size == n, heard);
	}
	if (!talks && outbox_waits(&wire.held) > 0)
		wrong("%zu bytes are left", outbox_waits(&wire.held));
	outbox_drop(&wire.held);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct outbox whole = {0}, pieces = {0};
	int talks;

	if (size < 2)
		return 0;
	talks = data[0] & 1;
	hear(talks, data + 1, size - 1, size, &whole);
	hear(talks, data + 1, size - 1, data[0] / 2 + 1u, &pieces);
	if (outbox_waits(&whole) != outbox_waits(&pieces) ||
	    memcmp(outbox_bytes(&whole), outbox_bytes(&pieces), outbox_waits(&whole)) != 0)
		wrong("in pieces it is heard otherwise");
	outbox_drop(&whole);
	outbox_drop(&pieces);
	return 0;
}
