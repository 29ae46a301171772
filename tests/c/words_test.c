/* words_test -- reads what is written into leases from standard input: for each look, how many
   messages it took; junk is told of */
#include <stdio.h>
#include <unistd.h>

#include "../../src/lease/words.h"

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
		more = words_read(STDIN_FILENO, ":=>~", take, &count);
		printf("%ld\n", count);
	} while (more);
	return 0;
}
