/* quote_test TEXT -- turns a command quoted by the shell library into the quotes of jobctl's log */
#include <stdio.h>
#include <stdlib.h>

#include "../../src/book/book.h"

int
main(int argc, char **argv)
{
	char *text = argc == 2 ? quote_again(argv[1]) : NULL;

	if (text == NULL || puts(text) < 0)
		return 125;
	free(text);
	return 0;
}
