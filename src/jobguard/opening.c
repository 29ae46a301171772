#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../book/halt.h"
#include "../book/output.h"
#include "../book/progress.h"
#include "../book/quote.h"
#include "../book/retry.h"
#include "../book/terms.h"
#include "../lease/words.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/number.h"
#include "../lib/options.h"
#include "../lib/outbox.h"
#include "../lib/processors.h"
#include "../lib/status.h"
#include "opening.h"

#define USAGE "usage: jobctl_open [option...] [N]"

enum { ON_END = TERMS_MORE, ON_FAILURE, ON_MESSAGE, STDIN, HELP };

static const struct option table[] = {
	{'j', "jobs", "N", "the same as the operand N: at most so many jobs at once"},
	{'P', "max-procs", "N", NULL},
	{'b', "batch", "NAME", "the name of the batch, for jobctl_in"},
	{ON_END, "on-end", "FUNCTION", "call this in the script when a job has ended"},
	{ON_FAILURE, "on-failure", "FUNCTION", "... when one has failed"},
	{ON_MESSAGE, "on-message", "FUNCTION", "... for what jobs say with jobctl_say"},
	{0, NULL, NULL, "Jobs"},
	TERMS_STARTS,
	TERMS_WHEN,
	TERMS_DRY_RUN,
	{STDIN, "stdin", NULL, "a job has the standard input of its jobctl_run"},
	{0, NULL, NULL, "Other machines, by ssh or JOBCTL_RSH: jobctl-remote(7)"},
	SITES_OPTIONS,
	{0, NULL, NULL, "Output"},
	TERMS_OUTPUT,
	{TERMS_LINE_BUFFER, "line-buffer", NULL, "!only jobctl(1) has it; use --group"},
	{TERMS_TAGSTRING, "tagstring", NULL, "!only jobctl(1) has it; use --tag"},
	TERMS_TOTAL_JOBS,
	{0, NULL, NULL, "The log"},
	TERMS_LOGGED,
	{HELP, "help", NULL, "print this; no batch is opened"},
	{0, NULL, NULL, NULL}
};

/* Appends _jobctl_b_VARIABLE='TEXT': one line, for news is read by lines. */
static void
assign(struct outbox *shell, const char *variable, const char *text)
{
	outbox_say(shell, "_jobctl_b_%s=", variable);
	quote_word(shell, text, strlen(text));
	outbox_add(shell, " ", 1);
}

/* Letters, digits and _, no digit first: it is a part of names of variables. */
static void
check_name(const char *name)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

	if (*name == '\0' || (*name >= '0' && *name <= '9') ||
	    name[strspn(name, letters)] != '\0')
		fail(STATUS_TROUBLE, "-b %s: a name is letters, digits and _, no digit first",
		    name);
}

/* An absolute path, for the script may change its directory; for free(3). */
static char *
absolute(const struct options *o)
{
	char here[PATH_MAX], *whole, *path = o->argument;

	options_path(o);
	if (strchr(path, '\n') != NULL)
		fail(STATUS_TROUBLE, "%s: a newline in a path", o->said);
	if (*path == '/')
		return need_memory(strdup(path));
	if (getcwd(here, sizeof here) == NULL)
		fail(STATUS_TROUBLE, "the current directory:");
	whole = need_memory(malloc(strlen(here) + strlen(path) + 2));
	sprintf(whole, "%s/%s", here, path);
	return whole;
}

/* The shell itself needs to know of some options. */
static void
tell_shell(struct outbox *shell, const struct options *o, int code)
{
	const char *text = o->argument;

	if (code >= ON_END && code <= ON_MESSAGE && *text == '\0')
		fail(STATUS_TROUBLE, "%s: an empty name; is a variable empty?", o->said);
	switch (code) {
	case 'b':
		check_name(text);
		assign(shell, "name", text);
		break;
	case ON_END: assign(shell, "hook", text); break;
	case ON_FAILURE: assign(shell, "error", text); break;
	case ON_MESSAGE: assign(shell, "hears", text); break;
	case TERMS_NICE: outbox_say(shell, "_jobctl_b_nice=%ld ", number_nice(o)); break;
	case TERMS_RESULTS: assign(shell, "directory", text); break;
	case STDIN: assign(shell, "stdin", "all"); break;
	case TERMS_MEMFREE: assign(shell, "tries", "1"); break;
	case TERMS_RETRIES: assign(shell, "tries", "1"); /* FALLTHROUGH */
	case TERMS_DRY: case TERMS_RESUME: case TERMS_RESUME_FAILED:
		assign(shell, "taskless", "1");
		break;
	}
}

static void
tell_tokend(struct arguments *tokend, const struct options *o, int code)
{
	switch (code) {
	case 'b': case ON_MESSAGE: case STDIN: case TERMS_NICE: break;
	case ON_END: arguments_add(tokend, "-Bended"); break;
	case ON_FAILURE: arguments_add(tokend, "-Bfailed"); break;
	case TERMS_DELAY: case TERMS_SLOT_DELAY: case TERMS_LABEL: case TERMS_DEADLINE:
		if (code == TERMS_LABEL || number_option_ms(o) > 0)
			arguments_add(tokend, "%s=%s", o->said, o->argument);
		break;
	default:
		arguments_add(tokend, "-B%s%s%s", o->said, o->argument != NULL ? "=" : "",
		    o->argument != NULL ? o->argument : "");
	}
}

/* The dispenser writes output of jobs, or their commands. */
static int
shows(int code)
{
	return code == TERMS_DRY || code == TERMS_SYNC || code == TERMS_GROUP || code == 'k' ||
	    code == TERMS_TAG;
}

/* The dispenser must know the commands of all jobs. */
static int
wants_texts(int code)
{
	return (shows(code) && code != TERMS_SYNC) || code == ON_FAILURE || code == TERMS_HALT ||
	    code == TERMS_LOG || code == TERMS_RESULTS || code == TERMS_BAR ||
	    code == TERMS_STATUS ||
	    code == TERMS_TOTAL || code == TERMS_RESUME || code == TERMS_RESUME_FAILED;
}

/* The number of jobs, by an option or as the operand; NULL: none is given, *n is 0. */
static const char *
count_of(const struct options *o, const char *given, long *n)
{
	const char *word = o->argv[0], *count = given != NULL ? given : word;
	const char *more = given != NULL || word == NULL ? word : o->argv[1];

	*n = 0;
	if (more != NULL && *more == '-')
		fail(STATUS_TROUBLE, "%s: options come before the number of jobs", more);
	if (more != NULL)
		fail(STATUS_TROUBLE, "%s: nothing follows the number of jobs; jobctl_run takes "
		    "commands", more);
	if (count != NULL && processors_count(count, 1, MOST_TOKENS, n) != 0)
		fail(STATUS_TROUBLE, "%s: not a number of jobs: 1 to %d, or such as 50%% or +1",
		    *count == '\0' ? "''" : count, MOST_TOKENS);
	return count;
}

/* The options so far. */
struct heard {
	struct terms terms;
	struct outbox shell;
	const char *name;
	char *log, *results; /* paths */
	int labelled, shows, asks, texts, again, stdin_too;
};

static void
take(struct heard *heard, struct arguments *tokend, struct options *o, int code)
{
	if (code == HELP)
		options_help(o, STATUS_TROUBLE);
	if (code == 'b')
		heard->name = o->argument;
	if (code == TERMS_LOG || code == TERMS_RESULTS) {
		char **path = code == TERMS_LOG ? &heard->log : &heard->results;

		free(*path);
		o->argument = *path = absolute(o);
	}
	terms_take(&heard->terms, o, code);
	tell_shell(&heard->shell, o, code);
	tell_tokend(tokend, o, code);
	heard->labelled |= code == TERMS_LABEL;
	heard->shows |= shows(code);
	heard->asks |= code == ON_END || code == TERMS_LOAD;
	heard->again |= code == TERMS_RETRIES || code == TERMS_MEMFREE;
	heard->stdin_too |= code == STDIN;
	heard->texts |= wants_texts(code);
}

/* Slots at places, which are their labels. A job that did not begin at one place begins at
   another. */
static void
add_places(struct opening *opening, struct heard *heard, struct arguments *tokend, long each)
{
	struct sites *sites = &opening->sites;

	if (heard->labelled)
		fail(STATUS_TROUBLE, "-S: labels its slots itself; not with --label");
	if (sites_count(sites, heard->terms.dry ? 1 : each) != 0 && errno != EHOSTUNREACH)
		fail(STATUS_TROUBLE, "no memory:");
	if (sites->slots == 0) /* here no file of places is read again */
		fail(STATUS_TROUBLE, REST_NONE);
	for (long i = 0; i < sites->slots; i++)
		arguments_add(tokend, "--label=%s", sites->labels[i]);
	if (sites->once)
		arguments_add(tokend, "-Bonce");
	opening->patience = opening->grace + sites_patience_ms(sites, opening->grace);
	arguments_add(tokend, "-Bgrace=%lld.%03lld", opening->patience / 1000,
	    opening->patience % 1000);
	assign(&heard->shell, "taskless", "1");
	assign(&heard->shell, "places", "1");
	assign(&heard->shell, "tries", "1");
	heard->asks = 1;
}

/* A job whose output is another file than ours was redirected: it is not kept. */
static void
add_streams(struct outbox *shell)
{
	char out[DESCRIPTORS_TELL], err[DESCRIPTORS_TELL];

	descriptors_tell(STDOUT_FILENO, out);
	descriptors_tell(STDERR_FILENO, err);
	outbox_say(shell, "_jobctl_b_streams=%s,%s ", out, err);
}

/* Whether the tokens are make's, if it has some: never if slots are at places. */
static int
borrows(const struct opening *opening, const char *count)
{
	return count == NULL && !sites_there(&opening->sites) && getenv("MAKEFLAGS") != NULL;
}

void
opening_read(struct opening *opening, struct arguments *tokend, const char *grace, char **argv)
{
	struct heard heard = {.name = "batch"};
	const char *count = NULL;
	struct options o;
	long each;
	int code;

	*opening = (struct opening){0};
	if (number_ms(grace, &opening->grace) != 0)
		fail(STATUS_TROUBLE, "%s: not a number of seconds", grace);
	options_open(&o, USAGE, table, argv);
	o.others = ", and jobctl-parallel(7) those of xargs and parallel";
	while ((code = options_next(&o)) != -1)
		if (code == 'j' || code == 'P')
			count = o.argument;
		else if (!sites_take(&opening->sites, &o, code))
			take(&heard, tokend, &o, code);
	terms_check(&heard.terms);
	if (terms_settle(&heard.terms, OUTPUT_GROUP)) {
		arguments_add(tokend, "-B--group");
		heard.shows = 1;
	}
	sites_check(&opening->sites);
	if (heard.stdin_too && (heard.again || sites_there(&opening->sites)))
		fail(STATUS_TROUBLE, "--stdin: not with -S, --retries or --memfree: a further try "
		    "would read nothing; redirect within the job");
	count = count_of(&o, count, &each);
	if (sites_there(&opening->sites))
		add_places(opening, &heard, tokend, each);
	if (heard.shows || heard.results != NULL)
		add_streams(&heard.shell);
	if (heard.texts)
		assign(&heard.shell, "asks", "texts");
	if (heard.asks || heard.texts || heard.again)
		arguments_add(tokend, "-Basks");
	arguments_add(tokend, "-n");
	if (sites_there(&opening->sites))
		arguments_add(tokend, "%ld", opening->sites.slots);
	else
		arguments_add(tokend, "%s", count != NULL ? count : "100%");
	outbox_add(&heard.shell, "", 1);
	opening->shell = outbox_whole(&heard.shell);
	opening->name = heard.name;
	opening->shows = heard.shows;
	opening->borrows = borrows(opening, count);
	free(heard.log);
	free(heard.results);
	if (opening->shell == NULL)
		fail(STATUS_TROUBLE, "no memory:");
}
