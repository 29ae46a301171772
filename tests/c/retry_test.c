/* retry_test RETRIES TRIED SAID -- 100 times, how long to wait after that try, in ms; and whether
   there is another */
#include <stdio.h>
#include <stdlib.h>

#include "../../src/book/retry.h"

int
main(int argc, char **argv)
{
	struct retry retry;
	long tried;

	if (argc != 4 || retry_scan(&retry, argv[1]) != 0)
		return 125;
	tried = atol(argv[2]);
	for (int i = 0; i < 100; i++)
		printf("%lld\n", retry_wait_ms(&retry, tried, atol(argv[3])));
	return !retry_again(&retry, tried);
}
