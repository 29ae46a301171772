/* processors_test ROOT FORM -- the count that tokend -n FORM means; "": processors if ROOT is / */
#include <stdio.h>
#include <unistd.h>

#include "../../src/lib/lib.h"

int
main(int argc, char **argv)
{
	long count;

	if (argc != 3)
		return 125;
	if (argv[2][0] == '\0') {
		for (int fd = 3; fd < 20; fd++)
			close(fd);
		printf("%ld\n", processors_usable(argv[1]));
		for (int fd = 3; fd < 20; fd++)
			if (close(fd) == 0)
				puts("a file is still open");
		return 0;
	}
	if (processors_count(argv[2], 8, 1000, &count) != 0)
		return 1;
	printf("%ld\n", count);
	return 0;
}
