/* tokstat -- shows the tokens of a dispenser, or the jobs of a batch: who has them, who waits. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tokstat.h"

#define USAGE "usage: tokstat [-w] [-o table|tsv|json] [FIFO|PID|DIRECTORY]"

enum { RECORD = 256 };

static const struct option table[] = {
	{'w', "watch", NULL, "show it each second; q quits"},
	{'o', "output", "FORMAT", "table, tsv or json"},
	{'m', "makeflags", NULL, "!write tokget FIFO make, or use the shims of jobctl-builds(7)"},
	{RECORD, "record", "FILE", "!write tokend --joblog FILE, which misses nothing"},
	OPTIONS_END
};

enum format { TABLE, TSV, JSON };

/* What to show; NULL: all there is. */
static const char *
read_subject(char **argv, enum format *format, int *watch)
{
	static const char *const formats[] = {"table", "tsv", "json"};
	const char *fifo = getenv("FIFO");
	struct options o;
	int code, i;

	options_open(&o, USAGE, table, argv);
	while ((code = options_next(&o)) != -1) {
		*watch |= code == 'w';
		if (code != 'o')
			continue;
		for (i = 0; i <= JSON && strcmp(o.argument, formats[i]) != 0; i++)
			;
		if (i > JSON)
			options_wrong(&o, "not table, tsv or json");
		*format = (enum format)i;
	}
	options_single(&o, 0, "needs one FIFO, pid or directory, or none");
	if (o.argv[0] != NULL && *o.argv[0] == '\0')
		options_misused(&o, "an empty name: is a variable not set?");
	return o.argv[0] != NULL ? o.argv[0] : fifo != NULL && *fifo != '\0' ? fifo : NULL;
}

/* Prints it, and says whether that is all: a status. */
static int
print(const struct subject *subject, enum format format)
{
	struct screen screen;
	struct outbox text = {0};

	screen_open(&screen, STDOUT_FILENO);
	if (format == TSV)
		sheet_tsv(&text, &subject->sheet);
	else if (format == JSON)
		sheet_json(&text, &subject->sheet);
	else
		view_draw(&text, subject, screen.there ? screen.columns : 0, INT_MAX,
		    screen.coloured, "\n");
	if (subject->sheet.count == 0 && subject->trouble != 0)
		outbox_drop(&text);
	if (outbox_flush(&text, STDOUT_FILENO) != 0)
		fail(STATUS_TROUBLE, "standard output:");
	if (subject->trouble == 0)
		return STATUS_DONE;
	subject_complain(subject);
	return STATUS_TROUBLE;
}

/* Once; or again and again, until the dispenser or the batch ends. */
static int
print_now(struct subject *subject, enum format format, int again)
{
	int status = STATUS_DONE;

	subject_read(subject, -1);
	if (subject->over)
		fail(STATUS_GONE, "the batch of process %ld has ended", (long)subject->pid);
	if (subject->late)
		inlet_fail(subject->path, STATUS_TROUBLE);
	do {
		if (!subject->late)
			status = print(subject, format);
		if (!again || sleep(1) != 0)
			return status;
		subject_read(subject, -1);
	} while (!subject->over);
	subject_say_end(subject);
	return STATUS_DONE;
}

int
main(int argc, char **argv)
{
	enum format format = TABLE;
	struct subject subject;
	struct screen screen;
	const char *what;
	int watch = 0, status = STATUS_DONE;

	(void)argc;
	program = "tokstat";
	if ((what = read_subject(argv, &format, &watch)) != NULL) {
		abroad_become(argv, what, NULL);
		what = inlet_path(what);
	}
	subject_open(&subject, what);
	screen_open(&screen, STDOUT_FILENO);
	if (watch && format == TABLE && screen.moves)
		watch_run(&subject);
	else
		status = print_now(&subject, format, watch);
	sheet_drop(&subject.sheet);
	free(subject.path);
	return status;
}
