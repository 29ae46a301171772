/*
 * jobctl -- runs a list of commands, or a command for each line of a list, at
 * most N at a time.
 */
#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lease/jobserver.h"
#include "../lease/words.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/number.h"
#include "../lib/processors.h"
#include "../lib/status.h"
#include "../lib/usage.h"
#include "batch.h"
#include "loop.h"

#define USAGE \
	"usage: jobctl [-0cDFgkpqRt] [-d seconds] [-f file] [-H halt] [-i seconds] [-j jobs]\n" \
	"              [-l log] [-L seconds] [-n nice] [-o directory] [-r tries[,seconds]]\n" \
	"              [-s label]... [-T seconds] [command [arg...]]"

enum { MOST = 100000 /* jobs at once */ };

static char *
label(char *text)
{
	if (*text == '\0' || strlen(text) > LONGEST_LABEL || strpbrk(text, "\t\n") != NULL)
		fail(STATUS_TROUBLE, "-s %s: a label is one line of 1 to %d bytes without tabs",
		    text, LONGEST_LABEL);
	return text;
}

/* The options that take no argument: -1 when it is none of them. */
static int
set_flag(struct plan *plan, int option)
{
	switch (option) {
	case '0': plan->separator = '\0'; break;
	case 'c': plan->shell = 1; break;
	case 'D': plan->dry = 1; break;
	case 'F': plan->sync = 1; break;
	case 'g': plan->mode = plan->mode == OUTPUT_PLAIN ? OUTPUT_GROUP : plan->mode; break;
	case 'k': plan->mode = plan->mode == OUTPUT_FILES ? plan->mode : OUTPUT_ORDER; break;
	case 'p': plan->progressing = 1; break;
	case 'q': plan->quiet = 1; break;
	case 'R': plan->resume = 1; break;
	case 't':
		plan->tag = 1;
		plan->mode = plan->mode == OUTPUT_PLAIN ? OUTPUT_GROUP : plan->mode;
		break;
	default: return -1;
	}
	return 0;
}

static int
set_option(struct plan *plan, int option, char *text)
{
	switch (option) {
	case 'd': plan->between = number_option_ms(option, text); break;
	case 'f': plan->file = text; break;
	case 'i': plan->each = number_option_ms(option, text); break;
	case 'H':
		if (halt_scan(&plan->halt, text) != 0)
			fail(STATUS_TROUBLE, "-H %s: not %s", text, HALT_SUCH);
		break;
	case 'j':
		if (processors_count(text, processors_usable(""), MOST, &plan->jobs) != 0)
			fail(STATUS_TROUBLE, "-j %s: not a number of jobs", text);
		break;
	case 'l': plan->log_path = text; break;
	case 'L': plan->batch_limit = number_option_ms(option, text); break;
	case 'n': plan->nice = number_nice(text); break;
	case 'o':
		plan->mode = OUTPUT_FILES;
		plan->directory = text;
		break;
	case 'r':
		if (retry_scan(&plan->retry, text) != 0)
			fail(STATUS_TROUBLE, "-r %s: not %s", text, RETRY_SUCH);
		break;
	case 'T': plan->job_limit = number_option_ms(option, text); break;
	default: return set_flag(plan, option);
	}
	return 0;
}

/* A lone word that names a file which nobody can execute is a list of commands. */
static int
is_list(const char *word)
{
	struct stat st;

	return stat(word, &st) == 0 && S_ISREG(st.st_mode) && access(word, X_OK) != 0;
}

/* Without -j. Within make, the jobs are those that make gives tokens for. */
static long
default_jobs(struct plan *plan, long labelled)
{
	long jobs = labelled > 0 ? labelled : processors_usable("");
	const char *why;

	if (plan->dry)
		return jobs;
	if (jobserver_open(0, &why) == 0) {
		plan->borrowing = 1;
		return labelled > 0 && labelled < jobserver_jobs() ? labelled : jobserver_jobs();
	}
	if (why == NULL)
		return jobs;
	complain("warning: one job at a time, as make's jobserver cannot be used: %s", why);
	return 1;
}

static void
check_options(struct plan *plan, long labelled)
{
	if (plan->file == NULL && !plan->shell && plan->words[0] != NULL &&
	    plan->words[1] == NULL && is_list(plan->words[0]))
		plan->file = *plan->words++;
	if (plan->shell && (plan->words[0] == NULL || plan->words[1] != NULL))
		fail(STATUS_TROUBLE, "-c takes one word, a command for sh");
	if (plan->resume && plan->log_path == NULL)
		fail(STATUS_TROUBLE, "-R resumes from the log that -l names");
	if (plan->sync && plan->log_path == NULL)
		fail(STATUS_TROUBLE, "-F is for the log that -l names");
	if (labelled > 0 && plan->jobs > labelled)
		fail(STATUS_TROUBLE, "-j %ld is more than the labels of -s", plan->jobs);
	if (plan->jobs == 0)
		plan->jobs = default_jobs(plan, labelled);
	plan->grace = number_grace();
}

int
main(int argc, char **argv)
{
	/* to the end, however that comes: nothing of it is freed */
	static struct plan plan = {.separator = '\n', .retry = {.tries = 1}};
	long labelled = 0;
	int option;

	program = "jobctl";
	if ((plan.labels = calloc((size_t)argc, sizeof *plan.labels)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	while ((option = getopt(argc, argv, "0cd:Df:FgH:hi:j:kl:L:n:o:pqr:Rs:tT:V")) != -1)
		if (option == 's')
			plan.labels[labelled++] = label(optarg);
		else if (set_option(&plan, option, optarg) != 0)
			return usage(option, USAGE);
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	plan.words = argv + optind;
	check_options(&plan, labelled);
	if (labelled == 0) {
		free(plan.labels);
		plan.labels = NULL;
	}
	return loop_run(&plan);
}
