/*
 * jobctl -- runs a list of commands, or a command for each line of a list, at
 * most N at a time.
 */
#include <sys/stat.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobctl.h"
#include "habits.h"

#define USAGE "usage: jobctl [option...] [command [arg...]] [::: argument... | :::: file...]..."

enum {
	MOST_RECORDS = 1000000000,
	SLURM = TERMS_MORE, GRANTED, REFUSED
};

static const struct option table[] = {
	{0, NULL, NULL, "Input: a job for each line, which is one argument, whatever it contains"},
	{'a', "arg-file", "FILE", "read the list from FILE; given again, combine the lists"},
	{'0', "null", NULL, "lines end with NUL, as find -print0 writes them"},
	{'d', "delimiter", "C", "lines end with this byte, or \\n \\t \\0 \\\\"},
	{'C', "colsep", "REGEX", "split lines at this: {1} {2} {-1} are columns"},
	{'E', NULL, "LINE", "this line ends the input"},
	{'r', "no-run-if-empty", NULL, "leave out blank lines"},
	{'n', "max-args", "N", "give a job N lines: {} is all, {1} {2} {-1} are some"},
	{'N', "max-replace-args", "N", NULL},
	{'L', "max-lines", "N", NULL},
	{'X', "xargs", NULL, "give a job as many lines as fit, and each slot some"},
	{'s', "max-chars", "N", "... a command has at most N bytes"},
	{0, NULL, NULL, "Command: {} is the line, {/} {//} {.} {/.} parts of it, {#} the number"},
	{'I', NULL, "R", "R stands for the line, in place of {}"},
	{'c', "script", NULL, "COMMAND is one word, a script for sh"},
	TERMS_DRY_RUN,
	{'t', "verbose", NULL, "print each command to standard error as it starts"},
	{0, NULL, NULL, "Jobs"},
	{'j', "jobs", "N", "at most N at once: 8, 50%, +1 (or: processors)"},
	{'P', "max-procs", "N", NULL},
	{0, NULL, NULL, "Other machines, by ssh or JOBCTL_RSH: jobctl-remote(7)"},
	SITES_OPTIONS,
	{SLURM, "slurm", NULL, "run jobs at the nodes of this Slurm allocation"},
	{0, NULL, NULL, "When jobs start"},
	TERMS_STARTS,
	TERMS_WHEN,
	{0, NULL, NULL, "Output"},
	TERMS_OUTPUT,
	TERMS_LIVE,
	{0, NULL, NULL, "The log"},
	TERMS_LOGGED,
	{0, NULL, NULL, "Else"},
	{'q', "quote", NULL, "pass words such as '|' and '\"$x\"' as they are"},
	HABITS_GRANTED(GRANTED),
	HABITS(REFUSED),
	OPTIONS_END
};

/* 1, or 0 when it is none of these. */
static int
take_input(struct plan *plan, const struct options *o, int code)
{
	struct source_terms *input = &plan->input;

	switch (code) {
	case '0': input->separator = '\0'; break;
	case 'a': plan->origins[input->count++] = (struct origin){.path = options_path(o)}; break;
	case 'C': input->columns = o->argument; break;
	case 'd':
		if (source_separator(o->argument, &input->separator) != 0)
			options_wrong(o, "not one byte, or one of \\n \\t \\0 \\\\");
		break;
	case 'E': input->end = *o->argument == '\0' ? NULL : o->argument; break;
	case 'I':
		if (*o->argument == '\0')
			options_wrong(o, "an empty word is everywhere; write: -I %%");
		plan->recipe.replace = o->argument;
		break;
	case 'L': case 'N': case 'n':
		plan->most = number_option(o, code == 'L', MOST_RECORDS);
		plan->recipe.alone = plan->most == 0;
		break;
	case 'r': input->skip_blank = 1; break;
	case 's': plan->bytes = number_option(o, 1, MOST_RECORDS); break;
	case 'X': plan->fit = 1; break;
	default: return 0;
	}
	return 1;
}

static void
take_plan(struct plan *plan, const struct options *o, int code)
{
	if (take_input(plan, o, code) || sites_take(&plan->sites, o, code))
		return;
	switch (code) {
	case 'c': plan->script = 1; break;
	case 'j': case 'P':
		if (strcmp(o->argument, "0") == 0)
			plan->jobs = WIDTH_MOST;
		else if (processors_count(o->argument, processors_usable(""), WIDTH_MOST,
		    &plan->jobs) != 0)
			options_wrong(o, "not a number of jobs up to 100000; SIGUSR1 and SIGUSR2 "
			    "change it while jobs run");
		break;
	case 'q': plan->literal = 1; break;
	case 't': plan->verbose = 1; break;
	case SLURM: plan->slurm = 1; break;
	case GRANTED: break;
	case TERMS_LABEL:
		if (*o->argument == '\0' || strlen(o->argument) > LONGEST_LABEL ||
		    strpbrk(o->argument, "\t\n") != NULL)
			options_wrong(o, "not a line of 1 to %d bytes without tabs", LONGEST_LABEL);
		plan->labels[plan->labelled++] = o->argument;
		break;
	default: terms_take(&plan->terms, o, code);
	}
}

/* Without -j. Within make, the jobs are those that make gives tokens for. */
static long
default_jobs(struct plan *plan)
{
	long labelled = plan->labelled, jobs = labelled > 0 ? labelled : processors_usable("");
	const char *why;

	if (plan->terms.dry)
		return jobs;
	if (jobserver_open(0, &why) == 0) {
		plan->borrowing = 1;
		return labelled > 0 && labelled < jobserver_jobs() ? labelled : jobserver_jobs();
	}
	if (why == NULL)
		return jobserver_single() ? 1 : jobs;
	complain("warning: one job at a time, as make's jobserver cannot be used: %s", why);
	return 1;
}

static void
check_input(struct plan *plan)
{
	struct source_terms *input = &plan->input;
	struct stat st;
	int typed = 0, named = input->count > 0 || plan->literal;

	if (input->count == 0)
		plan->origins[input->count++] = (struct origin){.path = "-"};
	for (size_t i = 0; i < input->count; i++)
		typed += plan->origins[i].path != NULL && strcmp(plan->origins[i].path, "-") == 0;
	if (typed > 1)
		fail(STATUS_TROUBLE, "standard input, -, can be only one of the lists");
	if (typed && !named && fstat(STDIN_FILENO, &st) == 0 &&
	    S_ISCHR(st.st_mode)) /* or /dev/null */
		operand_no_list(plan->words);
	plan->interactive = typed && isatty(STDIN_FILENO) && !plan->terms.quiet;
	plan->recipe.several = plan->fit || plan->most > 1 || input->columns != NULL ||
	    input->count > 1;
	if ((plan->recipe.several || plan->recipe.alone) && plan->words[0] == NULL)
		fail(STATUS_TROUBLE, "%s: needs a command; without one, each argument is a command",
		    plan->fit ? "-X" : input->columns != NULL ? "-C"
		    : plan->recipe.alone || plan->most > 1 ? "-n" : "a second list of arguments");
	if (plan->most == 0)
		plan->most = plan->fit ? LONG_MAX : 1;
}

/* A program, or else the only list, of commands. */
static void
check_words(struct plan *plan)
{
	struct source_terms *input = &plan->input;
	char *list = plan->words[0];
	size_t named = input->count;

	operand_lists(plan->words, plan->origins, &input->count);
	operand_check(plan->words, plan->script, plan->literal, plan->terms.quiet);
	if (plan->script || plan->words[0] == NULL || named > 0 ||
	    plan->recipe.replace != NULL || !operand_is_list(plan->words, (plan->slurm ||
	    sites_there(&plan->sites)) && (input->count > 0 || plan->words[1] != NULL)))
		return;
	if (input->count > 0)
		fail(STATUS_CANNOT_RUN, "%s: not executable, so a list of commands, which takes "
		    "no arguments; for a script write: jobctl sh %s", list, list);
	plan->origins[input->count++] = (struct origin){.path = list};
	plan->words++;
}

/* Slots at places. Those of an allocation are all that there are: only one transport can reach its
   places. */
static void
check_sites(struct plan *plan)
{
	struct sites *sites = &plan->sites;

	if (plan->slurm && sites_there(sites))
		fail(STATUS_TROUBLE, "--slurm: its places are the nodes of the allocation; not "
		    "with -S or --sshloginfile");
	if (plan->slurm)
		slurm_places(sites, plan->jobs);
	sites_check(sites);
	if (!sites_there(sites))
		return;
	if (plan->labelled > 0)
		fail(STATUS_TROUBLE, "%s: labels its slots itself; not with --label",
		    plan->slurm ? "--slurm" : "-S");
	if (plan->terms.dry) {
		plan->jobs = 1;
		return;
	}
	if (sites_count(sites, plan->jobs) != 0)
		fail(STATUS_GONE, REST_NONE);
	plan->jobs = sites->slots;
}

static void
check_options(struct plan *plan)
{
	check_words(plan);
	check_input(plan);
	if (plan->script && (plan->words[0] == NULL || plan->words[1] != NULL))
		fail(STATUS_TROUBLE, "-c: needs one word, a script, and ::: before arguments: "
		    "jobctl -c 'grep {} f | wc -l' ::: a b");
	if (plan->script && plan->words[0][strspn(plan->words[0], " \t\n")] == '\0')
		fail(STATUS_TROUBLE, "-c: the script is empty; is a variable empty?");
	terms_check(&plan->terms);
	terms_settle(&plan->terms, OUTPUT_LINES);
	check_sites(plan);
	if (plan->labelled > 0 && plan->jobs > plan->labelled) { /* all slots have one, or none */
		if (plan->jobs != WIDTH_MOST)
			fail(STATUS_TROUBLE, "-j %ld is more than the %ld of --label", plan->jobs,
			    plan->labelled);
		plan->jobs = plan->labelled;
	}
	if (plan->jobs == 0 && !sites_there(&plan->sites))
		plan->jobs = default_jobs(plan);
	plan->grace = number_grace();
}

int
main(int argc, char **argv)
{
	/* to the end, however that comes: nothing of it is freed */
	static struct plan plan = {.input.separator = '\n', .terms.retry.tries = 1};
	struct options options;
	struct outbox called = {0};
	int code;

	program = "jobctl";
	plan.labels = need_memory(calloc((size_t)argc, sizeof *plan.labels));
	plan.origins = need_memory(calloc((size_t)argc + 1, sizeof *plan.origins));
	plan.input.origins = plan.origins;
	quote_words(&called, argv);
	plan.called = outbox_text(&called);
	options_open(&options, USAGE, table, argv);
	options.others = ", and jobctl-parallel(7) those of xargs and parallel";
	while ((code = options_next(&options)) != -1)
		take_plan(&plan, &options, code);
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	plan.words = options.argv;
	check_options(&plan);
	if (plan.labelled == 0) {
		free(plan.labels);
		plan.labels = NULL;
	}
	return loop_run(&plan);
}
