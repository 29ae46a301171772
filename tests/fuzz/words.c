/* words.c: the first byte says how long the pieces are that the pipe gives, the second which mark
   is used, and whether the input comes several times, as a block is longer than an input. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../../src/lease/lease.h"
#include "ground.h"

enum { BLOCK = 8192, MANY = 24000 };

struct seen {
	const char *marks;
	size_t bytes;  /* that the words stand for */
	int junk, dirty, clean;
};

static void
take(void *context, enum word word, const char *text, size_t length, int clean)
{
	struct seen *seen = context;
	int line;

	if (word == WORD_END)
		wrong("the end is no word");
	line = word == WORD_LINE || word == WORD_STATUS || word == WORD_AFTER ||
	    word == WORD_FATE || word == WORD_PID;
	if (line && (memchr(text, '\n', length) != NULL ||
	    (seen->marks[1] == '\0' && memchr(text, seen->marks[0], length) != NULL)))
		wrong("a line of %zu bytes that has an end or a mark", length);
	if (word == WORD_STATUS && text[-1] != seen->marks[1])
		wrong("a status behind another mark");
	if (word == WORD_AFTER && text[-1] != seen->marks[2])
		wrong("a time behind another mark");
	if (word == WORD_FATE && text[-1] != seen->marks[3])
		wrong("a fate behind another mark");
	if (word == WORD_PID && text[-1] != seen->marks[4])
		wrong("a pid behind another mark");
	seen->bytes += line ? length + 2 : 1;
	seen->junk |= word == WORD_JUNK;
	seen->dirty |= !clean;
	seen->clean |= clean;
}

static size_t
blanks(const unsigned char *data, size_t size)
{
	size_t n = 0;

	for (; size > 0; size--, data++)
		n += *data == ' ' || *data == '\t' || *data == '\n' || *data == '\r';
	return n;
}

/* A block is clean or not as a whole, and no byte is taken twice. */
static void
check(const struct seen *seen, const unsigned char *data, size_t size)
{
	if (size < BLOCK && seen->clean && seen->dirty)
		wrong("clean, and not");
	if (size < BLOCK && seen->junk && seen->clean)
		wrong("junk is not clean");
	if (seen->dirty && !seen->junk)
		wrong("not clean without junk");
	if (seen->bytes > size)
		wrong("%zu bytes of words out of %zu", seen->bytes, size);
	if (!seen->junk && size > 0 && seen->bytes + blanks(data, size) < size)
		wrong("bytes that were lost");
}

/* 1 if there was junk in the last block. */
static int
run(const unsigned char *data, size_t size, size_t piece, const char *marks)
{
	struct seen seen = {0};
	int ends[2];
	size_t n;

	if (pipe(ends) != 0)
		wrong("no pipe");
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	for (; size > 0; data += n, size -= n) {
		n = size < piece ? size : piece;
		if (write(ends[1], data, n) != (ssize_t)n)
			break;
		memset(&seen, 0, sizeof seen);
		seen.marks = marks;
		if (words_read(ends[0], marks, take, &seen) != 1)
			wrong("an end, and there is a writer");
		check(&seen, data, n);
	}
	close(ends[1]);
	if (words_read(ends[0], marks, take, &seen) != 0)
		wrong("no end, and no writer");
	close(ends[0]);
	return seen.junk;
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static unsigned char many[MANY];
	size_t used, n;
	const char *marks;

	if (size < 3)
		return 0;
	marks = data[1] & 1 ? "@" : ":=>~#";
	run(data + 2, size - 2, data[0] < 128 ? data[0] + 1u : (data[0] - 127u) * 256u, marks);
	n = size - 2;
	for (used = 0; data[1] & 2 && used + n <= MANY; used += n)
		memcpy(many + used, data + 2, n);
	if (n < BLOCK / 2 && data[size - 1] == '\n' && run(data + 2, n, n, marks) == 0 && run(many, used, MANY, marks) != 0)
		wrong("whole lines are junk where a block ends");
	return 0;
}
