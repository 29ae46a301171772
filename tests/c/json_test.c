/* json_test TEXT -- the members of that object, a line each: name, s or p, value */
#include <stdio.h>
#include <string.h>

#include "../../src/display/json.h"

static int
show(void *context, const char *name, char *value, size_t length, int is_string)
{
	int *left = context;

	if (strlen(value) != length)
		return 3;
	printf("%s %c %s\n", name, is_string ? 's' : 'p', value);
	return --*left < 0 ? 2 : 0;
}

int
main(int argc, char **argv)
{
	int left = 9;
	int told = argc == 2 ? json_flat(argv[1], strlen(argv[1]), show, &left) : 125;

	if (fflush(stdout) != 0)
		return 125;
	return told == -1 ? 1 : told;
}
