/* jobpool -- sends requests, a line each, through a few processes that live long: each answers
   by a line. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/number.h"
#include "../lib/processors.h"
#include "../lib/status.h"
#include "../lib/usage.h"
#include "dispatch.h"

#define USAGE \
	"usage: jobpool [-knqtv] [-e prefix] [-i idle] [-I request] [-j max] [-l load]\n" \
	"               [-r tries] [-s seconds] [-S seconds] [-T seconds] command [arg...]\n" \
	"       jobpool -a [-f directory] [-W pid] [option...] [command [arg...]]"

enum { MOST_LOAD = 1000000, MOST_TRIES = 1000000 };

static const char *
line(int option, const char *text)
{
	if (strchr(text, '\n') != NULL)
		fail(STATUS_TROUBLE, "-%c: more than a line", option);
	return text;
}

/* The options that take no argument: -1 when it is none of them. */
static int
set_flag(struct options *options, int option)
{
	switch (option) {
	case 'a': options->attended = 1; break;
	case 'k': options->order = 1; break;
	case 'n': options->numbered = 1; break;
	case 'q': options->quiet = 1; break;
	case 't': options->tagged = 1; break;
	case 'v': options->verbose = 1; break;
	default: return -1;
	}
	return 0;
}

static int
set_option(struct options *options, int option, const char *text)
{
	switch (option) {
	case 'e': options->prefix = line(option, text); break;
	case 'f': options->nursery = text; break;
	case 'i': options->idle = number_option(option, text, 0, STAFF_MOST); break;
	case 'I': options->begin = line(option, text); break;
	case 'l': options->load = number_option(option, text, 1, MOST_LOAD); break;
	case 'r': options->tries = number_option(option, text, 1, MOST_TRIES); break;
	case 's': options->start = number_option_ms(option, text); break;
	case 'S': options->stop = number_option_ms(option, text); break;
	case 'T': options->limit = number_option_ms(option, text); break;
	case 'W': options->watched = number_option(option, text, 2, INT_MAX); break;
	default: return set_flag(options, option);
	}
	return 0;
}

static void
check_options(struct options *options, const char *most)
{
	if (processors_count(most, processors_usable(""), STAFF_MOST, &options->most) != 0)
		fail(STATUS_TROUBLE, "-j %s: not a number of workers up to %d", most, STAFF_MOST);
	if (options->idle > options->most)
		fail(STATUS_TROUBLE, "-i %ld is more than the %ld workers of -j", options->idle,
		    options->most);
	options->grace = number_grace();
}

int
main(int argc, char **argv)
{
	struct options options = {.load = 2, .tries = 3, .start = 100, .stop = 10000};
	const char *most = "100%";
	int option;

	program = "jobpool";
	while ((option = getopt(argc, argv, "ae:f:hi:I:j:kl:nqr:s:S:tT:vVW:")) != -1)
		if (option == 'j')
			most = optarg;
		else if (set_option(&options, option, optarg) != 0)
			return usage(option, USAGE);
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	options.command = argv[optind] == NULL ? NULL : argv + optind;
	if ((options.command == NULL) == (options.nursery == NULL))
		return usage('?', USAGE);
	check_options(&options, most);
	return dispatch_run(&options);
}
