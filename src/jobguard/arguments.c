#include <stdarg.h>

#include "../lib/complain.h"
#include "../lib/outbox.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "arguments.h"

static void
add(struct arguments *w, char *word)
{
	char **list = room_for(w->list, &w->room, w->count + 2, sizeof *list);

	if (word == NULL || list == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	w->list = list;
	w->list[w->count++] = word;
	w->list[w->count] = NULL;
}

void
arguments_add(struct arguments *w, const char *format, ...)
{
	struct outbox word = {0};
	va_list args;

	va_start(args, format);
	outbox_list(&word, format, args);
	va_end(args);
	outbox_add(&word, "", 1);
	add(w, outbox_whole(&word));
}

void
arguments_append(struct arguments *w, char **list)
{
	for (; *list != NULL; list++)
		add(w, *list);
}
