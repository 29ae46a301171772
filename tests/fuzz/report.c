/*
 * What tokstat makes of a dispenser's report: the first byte is its form, the rest the
 * lines. What it would have a shell run, or evaluate, may hold nothing of the dispenser's
 * but digits, or a path that needs no quotes.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ground.h"
#include "leaving.h"

static FILE *
not_run(const char *command, const char *mode)
{
	if (command[strspn(command, "ps -opidargs=0123456789.,")] != '\0')
		wrong("a shell would run '%s'", command);
	(void)mode;
	return NULL;
}

#define asking_open asking_opened
#define asking_send asking_sent
#define asking_line asking_lines
#define asking_close asking_closed
#define makeflags_text makeflags_shown
#define popen not_run
#define pclose(file) ((void)0)
int tokstat_main(int argc, char **argv);
#define main tokstat_main
#include "../../src/tools/tokstat.c"
#include "../../src/lib/room.c"
#undef main

static char *rest;
static struct report report;
static int form;

int
asking_opened(struct asking *a, const char *fifo)
{
	a->fifo = fifo;
	return 0;
}

int
asking_sent(struct asking *a, const char *what, const char *more)
{
	return a->fifo == NULL || what == NULL || more == NULL ? -1 : 0;
}

int
asking_lines(struct asking *a, char *line, size_t size, long long until)
{
	char *next = line_next(&rest);

	if (next == NULL)
		return -1;
	if (strlen(next) >= size)
		fail(STATUS_TROUBLE, "%s: a long line, %lld", a->fifo, until);
	strcpy(line, next);
	return 1;
}

void
asking_closed(struct asking *a)
{
	a->fifo = NULL;
}

char *
makeflags_shown(const char *old, long size, const char *path, int in, int out)
{
	if (old != NULL || size < 1 || in != -1 || out != -1)
		wrong("-j%ld", size);
	if (path[0] != '/' || strpbrk(path, " '\\\"$\n\t;") != NULL)
		wrong("a shell would evaluate '%s'", path);
	return leaving_calloc(1, 1);
}

static void
run(void *context)
{
	(void)context;
	if (form == 3) {
		print_makeflags(&report, "f");
		report.lines = NULL;
		return;
	}
	ask_report(&report, "f");
	find_commands(&report);
	if (form != 2)
		make_printable(&report);
	if (form == 0)
		print_table(&report);
	else if (form == 1)
		print_tsv(&report);
	else
		print_json(&report);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static int quiet;
	char *script;

	if (size == 0)
		return 0;
	if (!quiet && freopen("/dev/null", "w", stdout) == NULL)
		wrong("no /dev/null");
	quiet = 1;
	form = data[0] & 3;
	rest = script = ground_text(data + 1, size - 1);
	memset(&report, 0, sizeof report);
	if (leaves(run, NULL) == 0) {
		leaving_free(report.lines);
		leaving_free(report.commands);
	}
	(free)(script);
	return 0;
}
