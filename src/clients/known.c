#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/room.h"
#include "known.h"

/* A build has two FIFOs. Tokens are links to the one in which they are offered. */
static int
keep(void *context, const struct name *name)
{
	struct knowns *knowns = context;
	struct known *bigger, *one;
	struct stat st;

	if (name->kind != NAME_SHARED &&
	    (name->kind != NAME_BUILD || strstr(name->text, NAMES_OFFERS) == NULL))
		return 0;
	if (fstatat(knowns->dir, name->text, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : -1;
	if (!S_ISFIFO(st.st_mode))
		return 0;
	bigger = room_for(knowns->list, &knowns->room, knowns->count + 1, sizeof *bigger);
	if (bigger == NULL)
		return -1;
	knowns->list = bigger;
	one = bigger + knowns->count++;
	one->slot = name->kind == NAME_SHARED ? 0 : name->slot;
	memcpy(one->name, name->client, sizeof one->name);
	one->dev = st.st_dev;
	one->ino = st.st_ino;
	return 0;
}

int
known_gather(struct knowns *knowns)
{
	return names_each(knowns->dir, keep, knowns);
}

int
known_find(const struct knowns *knowns, const char *name, const struct known **found)
{
	struct stat st;

	if (knowns->count == 0)
		return 0;
	if (fstatat(knowns->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : -1;
	for (size_t i = 0; i < knowns->count; i++) {
		*found = knowns->list + i;
		if ((*found)->dev == st.st_dev && (*found)->ino == st.st_ino)
			return 1;
	}
	return 0;
}

void
known_clear(struct knowns *knowns)
{
	free(knowns->list);
	knowns->list = NULL;
	knowns->count = knowns->room = 0;
}
