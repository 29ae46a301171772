#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"

enum {
	LINE = 8192,
	ABOVE = 10 /* the least descriptor for a build */
};

/* A make that is not GNU make dies of either way. It is not to find a jobserver while we ask; if it
   cannot be run, that will be said later. */
static enum announce_style
style_for(enum announce_style style, const char *command)
{
	const char *slash = strrchr(command, '/'), *name = slash != NULL ? slash + 1 : command;
	char *ask[] = {(char *)command, "--version", NULL}, version[64];

	if (style != ANNOUNCE_FITTING)
		return style;
	if (strcmp(name, "make") != 0 && strcmp(name, "gmake") != 0 && strcmp(name, "bmake") != 0)
		return ANNOUNCE_BOTH;
	unsetenv("MAKEFLAGS");
	return command_answer(ask, version, sizeof version) == 0 &&
	    strncmp(version, "GNU Make ", 9) == 0 ? ANNOUNCE_BOTH : ANNOUNCE_NOTHING;
}

/* Out of the way of a script's own descriptors; blocking, for those who inherit it. */
static int
open_end(const char *build, const char *word, int flags, int inherited)
{
	char path[LINE + 16];
	int fd;

	snprintf(path, sizeof path, "%s.%s", build, word);
	fd = descriptors_lift(fifo_open(AT_FDCWD, path, flags), ABOVE);
	if (fd < 0 || (inherited && (fcntl(fd, F_SETFD, 0) != 0 || fcntl(fd, F_SETFL, 0) != 0)))
		fail(STATUS_TROUBLE, "%s:", path);
	return fd;
}

/* The text is ours to free; NULL: there was no memory for it. */
static void
put_variable(const char *variable, char *text)
{
	if (text == NULL || setenv(variable, text, 1) != 0)
		fail(STATUS_TROUBLE, "environment:");
	free(text);
}

/* All ends stay open with us as well, or with the command that we become: so what the build
   has taken outlives a dispenser that is killed, and nobody gets EPIPE or an end of file, or
   waits for another end in an open. */
static void
tell_build(const char *build, long size, enum announce_style style, const char *old, int becomes)
{
	int in, out, by_descriptor = style != ANNOUNCE_PATH;
	char path[LINE + 16];

	snprintf(path, sizeof path, "%s.jobserver", build);
	in = open_end(build, "jobserver", O_RDONLY, by_descriptor || becomes);
	open_end(build, "jobserver", O_WRONLY, becomes);
	if (!by_descriptor) {
		put_variable("MAKEFLAGS", makeflags_text(old, size, path, -1, -1));
		put_variable("CARGO_MAKEFLAGS", makeflags_text(old, size, path, -1, -1));
		return;
	}
	open_end(build, "returned", O_RDONLY, becomes);
	out = open_end(build, "returned", O_WRONLY, 1);
	put_variable("MAKEFLAGS",
	    makeflags_text(old, size, style == ANNOUNCE_BOTH ? path : NULL, in, out));
	/* Cargo tells what it starts of one way only, and any make takes descriptors; but make
	   closes those that it knows, in most recipes. */
	put_variable("CARGO_MAKEFLAGS", makeflags_text(old, size, NULL,
	    open_end(build, "jobserver", O_RDONLY, 1), open_end(build, "returned", O_WRONLY, 1)));
}

void
announce_build(const char *build, long size, enum announce_style wanted, const char *command,
    int becomes)
{
	char *old = getenv("MAKEFLAGS"), *copy = old == NULL ? NULL : need_memory(strdup(old));
	enum announce_style style;

	style = style_for(wanted, command);
	if (style == ANNOUNCE_NOTHING) {
		if (copy != NULL)
			put_variable("MAKEFLAGS", copy);
		return;
	}
	tell_build(build, size, style, copy, becomes);
	free(copy);
}

void
announce_jobs(long most)
{
	put_variable("MAKEFLAGS", makeflags_text(getenv("MAKEFLAGS"), most, NULL, -1, -1));
}
