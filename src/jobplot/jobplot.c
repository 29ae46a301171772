/* jobplot -- a picture of a log of jobs: who ran when, where, and how it ended. */
#include <sys/stat.h>

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jobplot.h"

#define USAGE "usage: jobplot [-J | -t | -T] [-o FILE] [LOG]"

enum { LEFT_OUT = 1 /* exit status: lines that are no jobs */ };

struct plan {
	const char *log;    /* NULL: standard input */
	const char *output; /* NULL: standard output */
	int what;           /* the code of an option; 0: a picture */
};

static const struct option table[] = {
	{'o', "output", "FILE", "write to this file instead of standard output"},
	{'J', "json", NULL, "write an object of JSON for each job"},
	{'t', "text", NULL, "write a report in words: what failed, what was slow"},
	{'T', "trace", NULL, "write trace events, for ui.perfetto.dev"},
	OPTIONS_END
};

static void
take_options(struct plan *plan, char **argv)
{
	struct options o;
	int code;

	options_open(&o, USAGE, table, argv);
	while ((code = options_next(&o)) != -1) {
		if (code == 'o')
			plan->output = options_path(&o);
		else if (plan->what != 0 && plan->what != code)
			options_misused(&o, "--json, --text or --trace: only one of them");
		else
			plan->what = code;
	}
	if (plan->output != NULL && strcmp(plan->output, "-") == 0)
		plan->output = NULL;
	if (*o.argv != NULL && o.argv[1] != NULL)
		options_misused(&o, *o.argv[1] == '-' ? "options stand before LOG"
		    : "more than one LOG; for one picture of several: cat LOG... | jobplot");
	if (*o.argv != NULL && **o.argv == '\0')
		options_misused(&o, "the name of LOG is empty; is a variable empty?");
	if (*o.argv != NULL && strcmp(*o.argv, "-") != 0)
		plan->log = *o.argv;
	if (*o.argv == NULL && isatty(STDIN_FILENO))
		options_misused(&o, "which LOG? Name one that jobctl --joblog FILE has written");
	if (plan->output == NULL && (plan->what == 0 || plan->what == 'T') && isatty(STDOUT_FILENO))
		options_misused(&o, "this is not for a terminal: add -o FILE, or --text for a "
		    "report in words");
}

/* The file is emptied only when it is not the log, and there is something to write. */
static void
write_all(const struct plan *plan, const struct plot *plot, struct outbox *out)
{
	const char *name = plan->output == NULL ? "standard output" : plan->output;
	struct stat st;
	int fd = STDOUT_FILENO, bad;

	if (plan->output != NULL && fifo_of_pool(name))
		fail(STATUS_TROUBLE, "%s: a pool: name another file", name);
	if (plan->output != NULL)
		fd = open(plan->output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || fstat(fd, &st) != 0)
		fail(STATUS_TROUBLE, "%s:", name);
	if (S_ISREG(st.st_mode) && descriptors_same(&st, &plot->input))
		fail(STATUS_TROUBLE, "%s: this is the log itself: name another file", name);
	bad = plan->output != NULL && S_ISREG(st.st_mode) && ftruncate(fd, 0) != 0;
	while (!bad && outbox_waits(out) > 0) {
		bad = outbox_write(out, fd, OUTBOX_ALL) != 0;
		if (!bad && outbox_waits(out) > 0)
			descriptors_poll(fd, POLLOUT, 1000);
	}
	if (bad || (plan->output != NULL && close(fd) != 0))
		fail(STATUS_TROUBLE, "%s:", name);
}

int
main(int argc, char **argv)
{
	/* to the end: nothing of it is freed */
	static struct plan plan;
	static struct plot plot;
	static struct outbox out;
	struct screen screen;

	(void)argc;
	program = "jobplot";
	take_options(&plan, argv);
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	if (plot_read(&plot, plan.log) != 0)
		return STATUS_TROUBLE;
	if (plan.what == 'J')
		events_json(&out, &plot);
	plot_rows(&plot);
	switch (plan.what) {
	case 't':
		screen_open(&screen, STDOUT_FILENO); /* only a terminal cuts commands */
		text_write(&out, &plot, plan.output == NULL && screen.there
		    ? (size_t)screen.columns : 0);
		break;
	case 'T': events_trace(&out, &plot); break;
	case 0: svg_write(&out, &plot); break;
	}
	if (out.lost)
		fail(STATUS_TROUBLE, "no memory:");
	write_all(&plan, &plot, &out);
	return plot.bad > 0 ? LEFT_OUT : STATUS_DONE;
}
