/* meaning_test -- reads commands, one a line (NUL is a newline), and prints a number for each: the
   same for commands that mean the same */
#include <stdio.h>

#include "../../src/book/meaning.h"
#include "../../src/lib/feed.h"

enum { MOST = 100 };

int
main(void)
{
	unsigned long long hash[MOST];
	struct feed feed;
	char *line;
	size_t n;
	int more, i, count = 0;

	if (feed_open(&feed, NULL, '\n') != 0)
		return 125;
	while (count < MOST && (more = feed_line(&feed, &line, &n)) >= 0) {
		if (more == 0) {
			if (feed_fill(&feed) != 0)
				return 125;
			continue;
		}
		hash[count] = meaning_hash(line, n, 7);
		for (i = 0; hash[i] != hash[count]; i++)
			;
		printf("%d\n", i);
		count++;
	}
	feed_close(&feed);
	return 0;
}
