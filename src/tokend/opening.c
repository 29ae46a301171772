#include <sys/stat.h>

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tokend.h"

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

/* The shell sets _jobctl_b_VARIABLE to the text. */
static void
assign(struct outbox *shell, const char *variable, const char *text)
{
	outbox_say(shell, "option %s %s\n", variable, text);
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

/* An absolute path, for the script may change its directory; never freed. */
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
	if (code >= ON_END && code <= ON_MESSAGE && strchr(text, '\n') != NULL)
		fail(STATUS_TROUBLE, "%s: a newline in a name", o->said);
	switch (code) {
	case 'b':
		check_name(text);
		assign(shell, "name", text);
		break;
	case ON_END: assign(shell, "hook", text); break;
	case ON_FAILURE: assign(shell, "error", text); break;
	case ON_MESSAGE: assign(shell, "hears", text); break;
	case TERMS_NICE: outbox_say(shell, "option nice %ld\n", number_nice(o)); break;
	case TERMS_RESULTS: /* with a slash, for read drops a blank at the end */
		outbox_say(shell, "option directory %s/\n", text);
		break;
	case STDIN: assign(shell, "stdin", "all"); break;
	case TERMS_RETRIES: assign(shell, "tries", "1"); /* FALLTHROUGH */
	case TERMS_DRY: case TERMS_RESUME: case TERMS_RESUME_FAILED:
		assign(shell, "taskless", "1");
		break;
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
	struct outbox shell;
	int shows, texts, again, stdin_too;
};

static void
take_opening(struct opening *opening, struct heard *heard, struct dispenser *d, struct options *o,
    int code)
{
	struct books *books = &d->jobs.books;

	if (code == HELP)
		options_help(o, STATUS_TROUBLE);
	if (code == 'b')
		opening->name = o->argument;
	if (code == TERMS_LABEL)
		labels_add(&d->labels, o->argument);
	if (code == TERMS_LOG || code == TERMS_RESULTS)
		o->argument = absolute(o);
	terms_take(&books->terms, o, code);
	tell_shell(&heard->shell, o, code);
	books->ended |= code == ON_END;
	books->failed_too |= code == ON_FAILURE;
	books->asks |= code == ON_END || code == TERMS_LOAD || code == TERMS_MEMFREE;
	heard->shows |= shows(code);
	heard->again |= code == TERMS_RETRIES;
	heard->stdin_too |= code == STDIN;
	heard->texts |= wants_texts(code);
}

/* Slots at places, which are their labels. A job that did not begin at one place begins at
   another. */
static void
add_places(struct opening *opening, struct heard *heard, struct dispenser *d, long each)
{
	struct books *books = &d->jobs.books;
	struct sites *sites = &opening->sites;

	if (d->labels.count > 0)
		fail(STATUS_TROUBLE, "-S: labels its slots itself; not with --label");
	(void)sites_count(sites, books->terms.dry ? 1 : each);
	if (sites->slots == 0) /* here no file of places is read again */
		fail(STATUS_TROUBLE, REST_NONE);
	for (long i = 0; i < sites->slots; i++)
		labels_add(&d->labels, sites->labels[i]);
	books->once = sites->once;
	books->asks = 1;
	opening->patience = opening->grace + sites_patience_ms(sites, opening->grace);
	assign(&heard->shell, "taskless", "1");
	assign(&heard->shell, "places", "1");
	assign(&heard->shell, "tries", "1");
}

/* A job whose output is another file than ours was redirected: it is not kept. */
static void
add_streams(struct outbox *shell)
{
	char out[DESCRIPTORS_TELL], err[DESCRIPTORS_TELL];

	descriptors_tell(STDOUT_FILENO, out);
	descriptors_tell(STDERR_FILENO, err);
	outbox_say(shell, "option streams %s,%s\n", out, err);
}

void
opening_read(struct opening *opening, struct dispenser *d, const char *grace, char **argv)
{
	struct books *books = &d->jobs.books;
	struct heard heard = {0};
	struct options o;
	long each;
	int code;

	*opening = (struct opening){.name = "batch"};
	if (number_ms(grace, &opening->grace) != 0)
		fail(STATUS_TROUBLE, "%s: not a number of seconds", grace);
	opening->patience = opening->grace;
	options_open(&o, USAGE, table, argv);
	o.others = ", and jobctl-parallel(7) those of xargs and parallel";
	while ((code = options_next(&o)) != -1)
		if (code == 'j' || code == 'P')
			opening->count = o.argument;
		else if (!sites_take(&opening->sites, &o, code))
			take_opening(opening, &heard, d, &o, code);
	terms_check(&books->terms);
	heard.shows |= terms_settle(&books->terms, OUTPUT_GROUP);
	sites_check(&opening->sites);
	if (heard.stdin_too && (heard.again || sites_there(&opening->sites)))
		fail(STATUS_TROUBLE, "--stdin: not with -S or --retries: a further try "
		    "would read nothing; redirect within the job");
	opening->count = count_of(&o, opening->count, &each);
	opening->borrows = opening->count == NULL && !sites_there(&opening->sites) &&
	    getenv("MAKEFLAGS") != NULL;
	if (sites_there(&opening->sites))
		add_places(opening, &heard, d, each);
	if (heard.shows || books->terms.directory != NULL)
		add_streams(&heard.shell);
	if (heard.texts)
		assign(&heard.shell, "asks", "texts");
	books->asks |= heard.texts || heard.again;
	d->pace.any = books->terms.between;
	d->pace.each = books->terms.each;
	if (books->terms.deadline > 0)
		d->jobs.deadline = clock_now() + books->terms.deadline;
	outbox_add(&heard.shell, "", 1);
	opening->shell = need_memory(outbox_whole(&heard.shell));
	opening->shows = heard.shows;
}

/* Adds the words up to the place, as one word of the shell, which evaluates it. */
static void
add_words(struct outbox *text, const struct sites *sites, long slot)
{
	char *none[] = {NULL}, **words = sites_argv(sites, slot, none);
	struct outbox inner = {0};

	for (char **word = words; word != NULL && *word != NULL; word++) {
		shell_word(&inner, *word);
		outbox_add(&inner, " ", 1);
	}
	outbox_add(&inner, "", 1);
	if (words == NULL || inner.lost)
		text->lost = 1;
	else
		shell_word(text, outbox_bytes(&inner));
	outbox_drop(&inner);
	free(words);
}

static void
compose(struct outbox *text, const struct opening *o)
{
	outbox_say(text, "_jobctl_b_grace=%lld.%03lld\n_jobctl_b_places=", o->patience / 1000,
	    o->patience % 1000);
	shell_word(text, o->sites.den.path);
	outbox_add(text, "\n", 1);
	for (long slot = 1; slot <= o->sites.slots; slot++) {
		outbox_say(text, "_jobctl_place_%s_%ld=", o->name, slot);
		if (sites_far(&o->sites, slot))
			add_words(text, &o->sites, slot);
		outbox_add(text, "\n", 1);
	}
}

int
opening_places(struct opening *o, const char *directory)
{
	struct outbox text = {0};
	char name[PATH_MAX];
	mode_t mask;
	int fd, bad;

	if (sites_open(&o->sites, o->grace) != 0) {
		complain("a directory for the sessions of places:");
		return -1;
	}
	compose(&text, o);
	snprintf(name, sizeof name, "%s/places", directory);
	mask = umask(0); /* the shell can read it under any umask of the caller */
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	umask(mask);
	if ((bad = fd < 0 || outbox_flush(&text, fd) != 0)) {
		complain("%s:", name);
		sites_close(&o->sites);
	}
	descriptors_close(&fd);
	outbox_drop(&text);
	return bad ? -1 : 0;
}
