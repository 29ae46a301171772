#include <sys/types.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokend.h"

void
labels_add(struct labels *labels, const char *label)
{
	char **bigger = room_for(labels->list, &labels->room, labels->count + 1, sizeof *bigger);

	if (*label == '\0' || strchr(label, '\n') != NULL || strlen(label) > LONGEST_LABEL)
		fail(STATUS_TROUBLE, "a label is one line of 1 to %d bytes", LONGEST_LABEL);
	if (bigger == NULL || (bigger[labels->count] = strdup(label)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	labels->list = bigger;
	labels->count++;
}

void
labels_read(struct labels *labels, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (fifo_of_pool(path))
		fail(STATUS_TROUBLE, "%s: a pool, and no list of labels", path);
	if (file == NULL)
		fail(STATUS_TROUBLE, "%s:", path);
	while ((n = getline(&line, &room, file)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (line[0] != '\0')
			labels_add(labels, line);
	}
	if (ferror(file))
		fail(STATUS_TROUBLE, "%s:", path);
	free(line);
	fclose(file);
}

void
labels_clear(struct labels *labels)
{
	while (labels->count > 0)
		free(labels->list[--labels->count]);
	free(labels->list);
	labels->list = NULL;
}
