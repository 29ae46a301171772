/*
 * tokstat -- shows what a dispenser's tokens are doing, or the jobs of a batch: who has them, who
 * waits. It can show that again and again, and write it down.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../book/quote.h"
#include "../display/screen.h"
#include "../lease/makeflags.h"
#include "../lib/command.h"
#include "../lib/complain.h"
#include "../lib/fifo.h"
#include "../lib/options.h"
#include "../lib/status.h"
#include "../tools/abroad.h"
#include "../tools/inlet.h"
#include "batches.h"
#include "record.h"
#include "subject.h"
#include "top.h"
#include "view.h"

#define USAGE \
	"usage: tokstat [-w] [-o table|tsv|json] [FIFO|PID|DIRECTORY]\n" \
	"       tokstat --record FILE [FIFO|PID|DIRECTORY]\n" \
	"       tokstat -m [FIFO]"

enum { RECORD = 256 };

static const struct option table[] = {
	{'w', "watch", NULL, "show it each second; q quits, arrows scroll"},
	{'o', "output", "FORMAT", "table, tsv or json"},
	{RECORD, "record", "FILE", "write down who holds which slot when (for jobplot)"},
	{'m', "makeflags", NULL, "print the command that sets MAKEFLAGS in a shell"},
	OPTIONS_END
};

enum { REDRAW = 1 /* seconds */ };

struct wish {
	void (*format)(struct outbox *, const struct sheet *);
	int watch, makeflags;
	const char *record;
	const char *what; /* NULL: all there is */
};

/* A make that knows descriptors only dies of a path, whatever it is to do. It is not to find a
   jobserver while we ask. */
static void
warn_of_old_make(const char *fifo)
{
	char *ask[] = {"make", "--version", NULL}, version[64];

	unsetenv("MAKEFLAGS");
	if (command_answer(ask, version, sizeof version) == 0 && makeflags_known(version) &&
	    !makeflags_knows_paths(version))
		complain("warning: the make on PATH, %.*s, ends with an error where MAKEFLAGS has "
		    "a path: write tokget %s make, or use the shims of jobctl-builds(7)",
		    (int)strcspn(version, "\n"), version, fifo);
}

/* For the shell to evaluate: what MAKEFLAGS has stays, but for another jobserver. */
static int
print_makeflags(const char *fifo)
{
	char line[4096], *path, *text;
	struct outbox words = {0};
	long size = 0;

	if (!asking_once(fifo, "share", "", line, sizeof line))
		inlet_fail(fifo, STATUS_TROUBLE);
	if (strcmp(line, "no room") == 0)
		fail(STATUS_TROUBLE, "%s: its tokend cannot make a jobserver now", fifo);
	if (strncmp(line, "ok ", 3) != 0 || (size = strtol(line + 3, &path, 10)) < 1 ||
	    *path++ != ' ' || !makeflags_carries(path))
		fail(STATUS_TROUBLE,
		    "%s: no tokens for builds: its tokend was started without -j", fifo);
	text = need_memory(makeflags_text(getenv("MAKEFLAGS"), size, path, -1, -1));
	quote_word(&words, text, strlen(text));
	if (printf("MAKEFLAGS=%s; export MAKEFLAGS\n", outbox_text(&words)) < 0 ||
	    fflush(stdout) != 0)
		fail(STATUS_TROUBLE, "standard output:");
	outbox_drop(&words);
	free(text);
	warn_of_old_make(fifo);
	return STATUS_DONE;
}

/* The variable that inlet_default() takes, too; empty, it is none. */
static const char *
choose(const struct options *o, int makeflags)
{
	const char *operand = o->argv[0], *fifo = getenv("FIFO");

	options_single(o, 0, "needs one FIFO, pid or directory, or none");
	if (operand != NULL && *operand == '\0')
		options_misused(o, "an empty name: is a variable not set?");
	if (operand == NULL && !makeflags)
		return fifo != NULL && *fifo != '\0' ? fifo : NULL;
	return inlet_default(operand);
}

static void
read_options(struct wish *wish, char **argv)
{
	struct options o;
	int code;

	options_open(&o, USAGE, table, argv);
	while ((code = options_next(&o)) != -1)
		switch (code) {
		case RECORD: wish->record = options_path(&o); break;
		case 'm': wish->makeflags = 1; break;
		case 'o':
			if (strcmp(o.argument, "json") == 0)
				wish->format = sheet_json;
			else if (strcmp(o.argument, "tsv") == 0)
				wish->format = sheet_tsv;
			else if (strcmp(o.argument, "table") != 0)
				options_wrong(&o, "not table, tsv or json");
			break;
		case 'w': wish->watch = 1; break;
		}
	wish->what = choose(&o, wish->makeflags);
	if (wish->makeflags && fifo_colon(wish->what) != NULL)
		options_misused(&o, "-m: the jobserver of HOST:FIFO is not here");
	if (wish->record != NULL && wish->what == NULL)
		options_misused(&o, "--record: needs a FIFO, a pid or a directory");
	if (wish->record != NULL && fifo_colon(wish->what) != NULL)
		options_misused(&o, "--record: not with HOST:FIFO: run it at that machine");
	if (wish->record != NULL && (wish->watch || wish->makeflags || wish->format != view_plain))
		options_misused(&o, "--record: not with -w, -o or -m");
}

static void
print(const struct wish *wish, const struct sheet *sheet)
{
	struct outbox text = {0};

	wish->format(&text, sheet);
	fputs(outbox_text(&text), stdout);
	if (fflush(stdout) != 0 || ferror(stdout))
		fail(STATUS_TROUBLE, "standard output:");
	outbox_drop(&text);
}

/* Prints it, and says whether that is all: a status. */
static int
print_all(const struct wish *wish, const struct subject *subject)
{
	if (subject->survey.sheet.count > 0 || subject->trouble == 0)
		print(wish, &subject->survey.sheet);
	if (subject->trouble == 0)
		return STATUS_DONE;
	batches_complain(subject->trouble);
	return STATUS_TROUBLE;
}

/* Again and again, until the dispenser or the batch ends: the status of the last. */
static int
print_each_second(const struct wish *wish, struct subject *subject)
{
	int status = STATUS_DONE;

	while (!subject->over && sleep(REDRAW) == 0) {
		subject_read(subject, 1);
		if (!subject->over)
			status = print_all(wish, subject);
	}
	if (subject->over)
		subject_say_end(subject);
	return subject->over ? STATUS_DONE : status;
}

static int
print_once(const struct wish *wish, struct subject *subject)
{
	subject_read(subject, 0);
	if (subject->over)
		fail(STATUS_GONE, "the batch of process %ld has ended", (long)subject->pid);
	return print_all(wish, subject);
}

int
main(int argc, char **argv)
{
	struct wish wish = {.format = view_plain};
	struct subject subject;
	struct screen screen;
	int status = STATUS_DONE;

	(void)argc;
	program = "tokstat";
	read_options(&wish, argv);
	if (wish.what != NULL) {
		abroad_become(argv, wish.what);
		wish.what = inlet_path(wish.what);
	}
	if (wish.makeflags)
		return print_makeflags(wish.what);
	subject_open(&subject, wish.what);
	screen_open(&screen, STDOUT_FILENO);
	if (wish.record != NULL)
		status = record_run(&subject, wish.record);
	else if (wish.watch && wish.format == view_plain && screen.moves)
		status = top_run(&subject);
	else {
		status = print_once(&wish, &subject);
		if (wish.watch)
			status = print_each_second(&wish, &subject);
	}
	subject_close(&subject);
	return status;
}
