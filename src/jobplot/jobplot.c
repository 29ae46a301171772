/* jobplot -- a picture of a log of jobs: who ran when, where, and how it ended. */
#include <sys/stat.h>

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/options.h"
#include "../lib/outbox.h"
#include "../lib/status.h"
#include "logged.h"
#include "rows.h"
#include "svg.h"
#include "text.h"
#include "trace.h"

#define USAGE "usage: jobplot [-t | -T] [-o FILE] [LOG]"

enum { LEFT_OUT = 1 /* exit status: lines that are no jobs */ };

struct plan {
	const char *log;    /* NULL: standard input */
	const char *output; /* NULL: standard output */
	int text, trace;
};

static const struct option table[] = {
	{'o', "output", "FILE", "write to this file instead of standard output"},
	{'t', "text", NULL, "write a report in words: what failed, what was slow"},
	{'T', "trace", NULL, "write trace events, for ui.perfetto.dev"},
	OPTIONS_END
};

static void
take_operands(struct plan *plan, const struct options *o)
{
	char **operand = o->argv;

	if (operand[0] != NULL && operand[1] != NULL && operand[1][0] == '-')
		options_misused(o, "options stand before LOG");
	if (operand[0] != NULL && operand[1] != NULL)
		options_misused(o, "more than one LOG; for one picture of several: "
		    "cat LOG... | jobplot");
	if (operand[0] != NULL && *operand[0] == '\0')
		options_misused(o, "the name of LOG is empty; is a variable empty?");
	if (operand[0] != NULL && strcmp(operand[0], "-") != 0)
		plan->log = operand[0];
	if (operand[0] == NULL && isatty(STDIN_FILENO))
		options_misused(o, "which LOG? Name one that jobctl --joblog FILE has written");
	if (plan->output == NULL && !plan->text && isatty(STDOUT_FILENO))
		options_misused(o, "this is not for a terminal: add -o FILE, or --text for a "
		    "report in words");
}

static void
take_options(struct plan *plan, char **argv)
{
	struct options o;
	int code;

	options_open(&o, USAGE, table, argv);
	while ((code = options_next(&o)) != -1) {
		switch (code) {
		case 'o': plan->output = options_path(&o); break;
		case 't': plan->text = 1; break;
		case 'T': plan->trace = 1; break;
		}
	}
	if (plan->text && plan->trace)
		options_misused(&o, "--text or --trace: only one of them");
	if (plan->output != NULL && strcmp(plan->output, "-") == 0)
		plan->output = NULL;
	take_operands(plan, &o);
}

/* Where to write: it is emptied only when it is not the log, and there is something to write. */
static int
open_output(const struct plan *plan, const struct logged *jobs)
{
	const char *name = plan->output == NULL ? "standard output" : plan->output;
	struct stat st;
	int fd = STDOUT_FILENO;

	if (plan->output != NULL)
		fd = open(plan->output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || fstat(fd, &st) != 0)
		fail(STATUS_TROUBLE, "%s:", name);
	if (S_ISREG(st.st_mode) && descriptors_same(&st, &jobs->input))
		fail(STATUS_TROUBLE, "%s: this is the log itself: name another file", name);
	if (plan->output != NULL && S_ISREG(st.st_mode) && ftruncate(fd, 0) != 0)
		fail(STATUS_TROUBLE, "%s:", name);
	return fd;
}

static void
write_all(const struct plan *plan, const struct logged *jobs, struct outbox *out)
{
	int fd = open_output(plan, jobs), bad = 0;

	while (!bad && outbox_waits(out) > 0) {
		bad = outbox_write(out, fd, OUTBOX_ALL) != 0;
		if (!bad && outbox_waits(out) > 0)
			descriptors_poll(fd, POLLOUT, 1000);
	}
	if (bad || (plan->output != NULL && close(fd) != 0))
		fail(STATUS_TROUBLE, "%s:", plan->output == NULL ? "standard output"
		    : plan->output);
}

int
main(int argc, char **argv)
{
	struct plan plan = {0};
	struct logged jobs;
	struct rows rows;
	struct outbox out = {0};
	int bad = 0;

	(void)argc;
	program = "jobplot";
	take_options(&plan, argv);
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	if (logged_read(&jobs, plan.log) != 0)
		return STATUS_TROUBLE;
	if (rows_make(&rows, &jobs) != 0)
		fail(STATUS_TROUBLE, "no memory:");
	if (plan.trace)
		trace_write(&out, &jobs, &rows);
	else
		bad = plan.text ? text_write(&out, &jobs, &rows) : svg_write(&out, &jobs, &rows);
	if (bad != 0 || out.lost)
		fail(STATUS_TROUBLE, "no memory:");
	write_all(&plan, &jobs, &out);
	bad = jobs.bad > 0;
	outbox_drop(&out);
	rows_free(&rows);
	logged_free(&jobs);
	return bad ? LEFT_OUT : STATUS_DONE;
}
