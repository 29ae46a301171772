/* labels.c: the input is a file of labels. */
#include <string.h>

#include "../../src/tokend/tokend.h"
#include "ground.h"

static struct labels labels;

static void
run(void *context)
{
	labels_read(&labels, context);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	size_t i;

	ground_enter();
	ground_write("labels", data, size);
	memset(&labels, 0, sizeof labels);
	if (leaves(run, "labels"))
		return 0;
	for (i = 0; i < labels.count; i++)
		if (labels.list[i][0] == '\0' || strlen(labels.list[i]) > 1000 ||
		    strchr(labels.list[i], '\n') != NULL)
			wrong("'%s' is a label", labels.list[i]);
	labels_clear(&labels);
	return 0;
}
