#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lease/makeflags.h"
#include "../lib/command.h"
#include "../lib/complain.h"
#include "../lib/fifo.h"
#include "../lib/status.h"
#include "announce.h"

enum {
	LINE = 8192,
	ABOVE = 10 /* the least descriptor for a build */
};

/* What suits the command: a make that knows descriptors only would die of a path, and one that
   is not GNU make of either. It is not to find a jobserver while we ask. */
static int
style_for(enum announce_style style, const char *command)
{
	const char *slash = strrchr(command, '/'), *name = slash != NULL ? slash + 1 : command;
	char *ask[] = {(char *)command, "--version", NULL}, version[64];
	int fitting;

	if ((strcmp(name, "make") != 0 && strcmp(name, "gmake") != 0 &&
	    strcmp(name, "bmake") != 0) || style == ANNOUNCE_DESCRIPTOR)
		return style == ANNOUNCE_FITTING ? ANNOUNCE_PATH : (int)style;
	unsetenv("MAKEFLAGS");
	if (command_answer(ask, version, sizeof version) != 0)
		return ANNOUNCE_PATH; /* it cannot be run, which will be said later */
	fitting = !makeflags_known(version) ? ANNOUNCE_NOTHING
	    : makeflags_knows_paths(version) ? ANNOUNCE_PATH : ANNOUNCE_DESCRIPTOR;
	if (style == ANNOUNCE_PATH && fitting == ANNOUNCE_DESCRIPTOR)
		fail(STATUS_TROUBLE, "-j fifo: %s knows -j pipe only: it is %.*s", command,
		    (int)strcspn(version, "\n"), version);
	return style == ANNOUNCE_PATH ? ANNOUNCE_PATH : fitting;
}

/* Out of the way of a script's own descriptors; blocking, for those who inherit it. */
static int
open_end(const char *build, const char *word, int flags, int inherited)
{
	char path[LINE + 16];
	int fd, above;

	snprintf(path, sizeof path, "%s.%s", build, word);
	fd = fifo_open(AT_FDCWD, path, flags);
	above = fd < 0 ? -1 : fcntl(fd, inherited ? F_DUPFD : F_DUPFD_CLOEXEC, ABOVE);
	if (above < 0 || (inherited && fcntl(above, F_SETFL, 0) != 0))
		fail(STATUS_TROUBLE, "%s:", path);
	close(fd);
	return above;
}

/* All ends stay open with us as well, or with the command that we become: so what the build
   has taken outlives a dispenser that is killed, and nobody gets EPIPE or an end of file, or
   waits for another end in an open. */
void
announce_build(const char *build, long size, enum announce_style wanted, const char *command,
    int becomes)
{
	char *old = getenv("MAKEFLAGS"), *text, *copy = NULL, path[LINE + 16];
	int style, by_descriptor, in, out;

	if (old != NULL && (copy = strdup(old)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	style = style_for(wanted, command);
	by_descriptor = style == ANNOUNCE_DESCRIPTOR;
	if (style == ANNOUNCE_NOTHING) {
		if (copy != NULL && setenv("MAKEFLAGS", copy, 1) != 0)
			fail(STATUS_TROUBLE, "environment:");
		free(copy);
		return;
	}
	in = open_end(build, "jobserver", O_RDONLY, by_descriptor || becomes);
	out = open_end(build, "jobserver", O_WRONLY, becomes);
	if (by_descriptor) {
		open_end(build, "returned", O_RDONLY, becomes);
		out = open_end(build, "returned", O_WRONLY, 1);
	}
	snprintf(path, sizeof path, "%s.jobserver", build);
	text = makeflags_text(copy, size, by_descriptor ? NULL : path, in, out);
	if (text == NULL || setenv("MAKEFLAGS", text, 1) != 0 ||
	    setenv("CARGO_MAKEFLAGS", text, 1) != 0)
		fail(STATUS_TROUBLE, "environment:");
	free(text);
	free(copy);
}
