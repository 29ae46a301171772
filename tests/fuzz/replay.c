/*
 * replay PATH... -- gives each file to the target that this is linked with: the corpus
 * as a regression test for compilers that have no libFuzzer. Paths are absolute, for
 * targets change the directory. Prints the current path, and at the end their count, on
 * standard error; a target may have standard output for itself.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ground.h"

enum { MOST = 1 << 20 };

static void
replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	unsigned char *whole = malloc(MOST), *data;
	size_t size;

	if (file == NULL || whole == NULL)
		wrong("%s: cannot be read", path);
	size = fread(whole, 1, MOST, file);
	fclose(file);
	if ((data = realloc(whole, size + (size == 0))) == NULL) /* a read behind its end shows */
		wrong("no memory");
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		replay(argv[i]);
	fprintf(stderr, "%d inputs\n", argc - 1);
	return 0;
}
