/*
 * The guard of a batch, DIRECTORY: tokend is the dispenser of DIRECTORY/fifo, and writes to
 * DIRECTORY/news. The script opens news, and then empties the file "opened".
 */
#if defined __linux__ && !defined PORTABLE
#define _GNU_SOURCE /* O_PATH */
#endif
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lease/makeflags.h"
#include "../lib/complain.h"
#include "../lib/status.h"
#include "for_batch.h"
#include "guard.h"
#include "opening.h"
#include "slots.h"

enum { ROLE, PID, DIRECTORY, KEY, GRACE };

/* Whether MAKEFLAGS says that make's jobserver is at that descriptor. */
static int
is_of_make(int fd)
{
	const char *text = getenv("MAKEFLAGS"), *word, *ends;
	int in, out;

	while (text != NULL && makeflags_word(&text, &word) > 0)
		if (((ends = makeflags_after(word, "--jobserver-auth=")) != NULL ||
		    (ends = makeflags_after(word, "--jobserver-fds=")) != NULL) &&
		    sscanf(ends, "%d,%d", &in, &out) == 2 && (fd == in || fd == out))
			return 1;
	return 0;
}

/* The script may wait for its own descriptors to close: a pipe, or a lease of another batch. */
static void
close_others(int borrows)
{
	for (int fd = 3; fd <= 9; fd++)
		if (!borrows || !is_of_make(fd))
			close(fd);
}

/* A descriptor by whose path in /proc the script sees whether its standard input is still the one
   that it has now, or -1. It does not keep a pipe open. */
static int
note_input(void)
{
#ifdef O_PATH
	int fd = open("/proc/self/fd/0", O_PATH | O_CLOEXEC);

	return fd >= 0 ? fd : open("/dev/null", O_PATH | O_CLOEXEC);
#else
	return -1;
#endif
}

/* Adds the first words of tokend, for the second dispenser, too. */
static void
begin_tokend(struct arguments *w, const struct guard *g)
{
	arguments_add(w, "tokend");
	arguments_add(w, "-a");
	arguments_add(w, "-e");
	arguments_add(w, "-W");
	arguments_add(w, "%ld", (long)g->script);
}

/* A shell that opens a FIFO just after its removal makes a plain file, and waits at the other FIFO:
   so the FIFOs of connections get other names first, all at once. */
static void
take_away(const struct guard *g)
{
	struct arguments keep = {0};

	arguments_add(&keep, "%s/keep", g->path);
	arguments_add(&keep, "%s/gone", g->path);
	rename(keep.list[0], keep.list[1]);
	guard_remove(g);
}

/* Runs the dispenser to its end: its status, or -1 if the script is gone. */
static int
serve(const struct guard *g, struct opening *opening, struct arguments *w, int input)
{
	struct arguments again = {0};
	int status, news = g->fifos[0].writer;
	pid_t tokend;

	if (input >= 0)
		guard_say(g, news, "set 0 _jobctl_b_stdin=/proc/%ld/fd/%d\n", (long)getpid(),
		    input);
	if (*opening->shell != '\0')
		guard_say(g, news, "set 0 %s\n", opening->shell);
	tokend = guard_start(w->list, news, -1);
	if (guard_ready(g, tokend) != 0)
		return -1;
	status = guard_wait(tokend);
	if (status <= 128)
		return status;
	begin_tokend(&again, g);
	return guard_wind_up(&again, w->list[w->count - 1], news);
}

int
for_batch(int argc, char **argv)
{
	struct opening opening;
	struct arguments w = {0};
	struct guard g;
	int status, out, input;

	(void)argc;
	program = "jobctl_open";
	guard_of(&g, argv[PID], argv[DIRECTORY]);
	g.fifos[0].name = "news";
	begin_tokend(&w, &g);
	arguments_add(&w, "-Bas=%s", program);
	arguments_add(&w, "-Bwho=jobctl_run");
	arguments_add(&w, "-Bwaits");
	arguments_add(&w, "-Bkey=%s", argv[KEY]);
	arguments_add(&w, "-Bgrace=%s", argv[GRACE]);
	opening_read(&opening, &w, argv[GRACE], argv + GRACE);
	if (opening.borrows)
		arguments_add(&w, "-umake");
	close_others(opening.borrows);
	input = note_input();
	if (opening.shows) {
		if ((out = fcntl(STDOUT_FILENO, F_DUPFD, GUARD_THIRD + 1)) < 0)
			fail(STATUS_TROUBLE, "standard output, for the output of jobs:");
		arguments_add(&w, "-Bout=%d", out);
	}
	arguments_add(&w, "--");
	arguments_add(&w, "%s/fifo", g.path);
	guard_begin(&g);
	if (sites_there(&opening.sites) && slots_open(&opening, g.path) != 0) {
		guard_remove(&g);
		return STATUS_TROUBLE;
	}
	status = serve(&g, &opening, &w, input);
	sites_close(&opening.sites); /* the sessions end, with all that still runs there */
	if (status < 0)
		return STATUS_TROUBLE;
	if (status != STATUS_DONE)
		guard_say(&g, g.fifos[0].writer, "fail %d\n", status);
	guard_await(&g);
	take_away(&g);
	return STATUS_DONE;
}
