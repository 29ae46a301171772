#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"

enum { LEAST = 16 };

void *
room_for(void *list, size_t *room, size_t need, size_t size)
{
	size_t more = *room + *room / 2 + LEAST;
	char *bigger;

	if (need <= *room)
		return list;
	if (more < need)
		more = need;
	if ((bigger = realloc(list, more * size)) == NULL)
		return NULL;
	memset(bigger + *room * size, 0, (more - *room) * size);
	*room = more;
	return bigger;
}

int
room_short(int error)
{
	return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
}
