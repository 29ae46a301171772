/* jobpool -- sends requests, a line each, through a few processes that live long: each answers
   by a line. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobpool.h"

#define USAGE "usage: jobpool [option...] command [arg...]"

enum {
	MOST_LOAD = 1000000, MOST_TRIES = 1000000,
	TAG = 256, REFUSED, QUIET, TRACE, RETRIES, TIMEOUT, IDLE, AHEAD, BEGIN,
	ERROR_PREFIX, ATTENDED, DIRECTORY, WATCH
};

static const struct option table[] = {
	{0, NULL, NULL, "Workers"},
	{'j', "jobs", "N", "at most N workers: 8, 50%, +1 (default: processors)"},
	{'P', "max-procs", "N", NULL},
	{IDLE, "idle", "N", "keep N of them that have nothing to do"},
	{AHEAD, "ahead", "N", "give each at most N requests not answered (default: 2)"},
	{BEGIN, "begin", "REQUEST", "give each worker this request first"},
	{0, NULL, NULL, "Requests"},
	{RETRIES, "retries", "N", "try a request N times in all (default: 3)"},
	{TIMEOUT, "timeout", "SECONDS", "end a worker that works on one request this long"},
	{REFUSED, "numbered", NULL, "!write the number into the request, and --ahead 1"},
	{0, NULL, NULL, "Answers"},
	{'k', "keep-order", NULL, "write answers in the order of the requests"},
	{TAG, "tag", NULL, "put the number of its request and a tab before each"},
	{ERROR_PREFIX, "error-prefix", "TEXT", "a line that begins so is an event, not an answer"},
	{QUIET, "quiet", NULL, "print no messages about requests and workers"},
	{QUIET, "silent", NULL, NULL},
	{TRACE, "trace", NULL, "report which workers are started, and which are ended"},
	{0, NULL, NULL, "For jobctl_workers"},
	{DIRECTORY, "directory", "DIR", "make this directory, with the FIFOs of a script"},
	{WATCH, "watch", "PID", "end when this process has ended"},
	{ATTENDED, "attended", NULL, "input and output are lines for jobctl.sh(7)"},
	{0, NULL, NULL, "Else"},
	OPTIONS_END
};

static const char *
one_line(const struct options *o)
{
	if (strchr(o->argument, '\n') != NULL)
		options_wrong(o, "must be one line");
	return o->argument;
}

static void
take_staffing(struct staffing *want, const struct options *o, int code)
{
	switch (code) {
	case 'k': want->order = 1; break;
	case ATTENDED: want->attended = 1; break;
	case QUIET: want->quiet = 1; break;
	case TAG: want->tagged = 1; break;
	case TRACE: want->verbose = 1; break;
	case 'j': case 'P':
		if (processors_count(o->argument, processors_usable(""), STAFF_MOST,
		    &want->most) != 0)
			options_wrong(o, "not a number of workers");
		break;
	case IDLE: want->idle = number_option(o, 0, STAFF_MOST); break;
	case AHEAD: want->load = number_option(o, 1, MOST_LOAD); break;
	case BEGIN: want->begin = one_line(o); break;
	case RETRIES: want->tries = number_option(o, 1, MOST_TRIES); break;
	case TIMEOUT: want->limit = number_option_ms(o); break;
	case ERROR_PREFIX: want->prefix = one_line(o); break;
	case DIRECTORY: want->directory = options_path(o); break;
	case WATCH: want->watched = number_option(o, 1, INT_MAX); break;
	}
}

int
main(int argc, char **argv)
{
	struct staffing want = {.load = 2, .tries = 3};
	struct options options;
	int code;

	program = "jobpool";
	options_open(&options, USAGE, table, argv);
	while ((code = options_next(&options)) != -1)
		take_staffing(&want, &options, code);
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	want.command = options.argv[0] == NULL ? NULL : options.argv;
	if (want.command == NULL && want.directory == NULL)
		options_misused(&options, "needs a command that answers requests");
	if (!want.attended && (want.directory == NULL) != (want.watched == 0))
		options_misused(&options, "--directory and --watch go together");
	if (want.most == 0)
		processors_count("100%", processors_usable(""), STAFF_MOST, &want.most);
	if (want.idle > want.most)
		fail(STATUS_TROUBLE, "--idle %ld is more than the %ld workers of -j", want.idle,
		    want.most);
	want.grace = number_grace();
	if (want.directory != NULL && !want.attended)
		return script_guard(argc, argv, &want);
	return dispatch_run(&want);
}
