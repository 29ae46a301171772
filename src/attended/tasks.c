#include <stdlib.h>
#include <string.h>

#include "tasks.h"

/* FNV-1a. */
static size_t
hash(const char *text)
{
	unsigned long h = 2166136261UL;

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * 16777619UL & 0xffffffffUL;
	return (size_t)h;
}

static char **
place(char **names, size_t room, const char *name)
{
	size_t i = hash(name) % room;

	while (names[i] != NULL && strcmp(names[i], name) != 0)
		i = (i + 1) % room;
	return names + i;
}

static int
grow(struct tasks *tasks)
{
	size_t room = tasks->room * 2 + 64;
	char **names = calloc(room, sizeof *names);

	if (names == NULL)
		return -1;
	for (size_t i = 0; i < tasks->room; i++)
		if (tasks->names[i] != NULL)
			*place(names, room, tasks->names[i]) = tasks->names[i];
	free(tasks->names);
	tasks->names = names;
	tasks->room = room;
	return 0;
}

int
tasks_add(struct tasks *tasks, const char *name)
{
	char **at;

	if (tasks->count * 2 >= tasks->room && grow(tasks) != 0)
		return -1;
	if (*(at = place(tasks->names, tasks->room, name)) != NULL)
		return 0;
	if ((*at = strdup(name)) == NULL)
		return -1;
	tasks->count++;
	return 1;
}

void
tasks_close(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->room; i++)
		free(tasks->names[i]);
	free(tasks->names);
	*tasks = (struct tasks){0};
}
