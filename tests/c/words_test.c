/* words_test -- reads the text of a lease from standard input, and prints for each look how many
   messages it took, and "junk". Exits with 1 if the work is out of proportion to the bytes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned long read_bytes, looks; /* for a mark */

static ssize_t
counted_read(int fd, void *block, size_t size)
{
	ssize_t n = read(fd, block, size);

	if (n > 0)
		read_bytes += (unsigned long)n;
	return n;
}

static char *
counted_strchr(const char *s, int c)
{
	looks++;
	return (strchr)(s, c);
}

#define read counted_read
#define strchr counted_strchr
#include "../../src/lease/words.c"

static void
take(void *context, enum word word, const char *text, size_t length, int clean)
{
	(void)text;
	(void)length;
	if (word == WORD_LINE && clean)
		++*(long *)context;
	else
		puts("junk");
}

int
main(void)
{
	long count;
	int more;

	do {
		count = 0;
		more = words_read(STDIN_FILENO, ":=>~#", take, &count);
		printf("%ld\n", count);
	} while (more);
	if (looks <= 8 * read_bytes)
		return 0;
	fprintf(stderr, "words_test: %lu looks for a mark in %lu bytes\n", looks, read_bytes);
	return 1;
}
