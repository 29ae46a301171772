/*
 * jobpool -- requests, a line each, through a few processes that live long: each reads
 * requests and writes answers, a line each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/argument.h"
#include "../lib/complain.h"
#include "../lib/descriptors.h"
#include "../lib/number.h"
#include "../lib/processors.h"
#include "../lib/status.h"
#include "dispatch.h"

#define USAGE \
	"usage: jobpool [-cknqtv] [-e prefix] [-i idle] [-I request] [-j max] [-l load]\n" \
	"               [-r tries] [-s seconds] [-S seconds] [-T seconds] command [arg...]\n" \
	"       jobpool -a [-f directory] [-W pid] [option...] [command [arg...]]\n" \
	"       jobpool -P\n"

enum { MOST_LOAD = 1000000 };

static int
usage(void)
{
	fputs(USAGE, stderr);
	return STATUS_TROUBLE;
}

static const char *
line(int option, const char *text)
{
	if (strchr(text, '\n') != NULL)
		fail(STATUS_TROUBLE, "-%c: more than a line", option);
	return text;
}

/* The options that take no argument: -1 when it is none of them. */
static int
set_flag(struct plan *plan, int option)
{
	switch (option) {
	case 'a': plan->attended = 1; break;
	case 'k': plan->order = 1; break;
	case 'n': plan->numbered = 1; break;
	case 'q': plan->quiet = 1; break;
	case 't': plan->tagged = 1; break;
	case 'v': plan->verbose = 1; break;
	default: return -1;
	}
	return 0;
}

static int
set_option(struct plan *plan, int option, const char *text)
{
	switch (option) {
	case 'e': plan->prefix = line(option, text); break;
	case 'f': plan->nursery = text; break;
	case 'i': plan->idle = argument_number(option, text, 0, STAFF_MOST); break;
	case 'I': plan->begin = line(option, text); break;
	case 'l': plan->load = argument_number(option, text, 1, MOST_LOAD); break;
	case 'r': plan->tries = argument_number(option, text, 1, 1000000); break;
	case 's': plan->start = argument_seconds(option, text); break;
	case 'S': plan->stop = argument_seconds(option, text); break;
	case 'T': plan->limit = argument_seconds(option, text); break;
	case 'W': plan->watched = argument_number(option, text, 2, 0x7fffffff); break;
	default: return set_flag(plan, option);
	}
	return 0;
}

static void
check_options(struct plan *plan, const char *most, int cores)
{
	const char *grace = getenv("JOBCTL_GRACE");
	long processors = cores ? processors_cores("") : processors_usable("");

	if (count_scan(most, processors, STAFF_MOST, &plan->most) != 0)
		fail(STATUS_TROUBLE, "-j %s: not a number of workers up to %d", most, STAFF_MOST);
	if (plan->idle > plan->most)
		fail(STATUS_TROUBLE, "-i %ld is more than the %ld workers of -j", plan->idle, plan->most);
	if (grace != NULL && number_ms(grace, &plan->grace) != 0)
		fail(STATUS_TROUBLE, "JOBCTL_GRACE: %s: not a number of seconds", grace);
}

static int
print_processors(void)
{
	int n = printf("%ld %ld\n", processors_cores(""), processors_usable(""));

	return n < 0 || fflush(stdout) != 0 ? STATUS_TROUBLE : STATUS_DONE;
}

int
main(int argc, char **argv)
{
	struct plan plan = {0};
	const char *most = "100%";
	int option, cores = 0;

	program = "jobpool";
	plan.load = 2;
	plan.tries = 3;
	plan.start = 100;
	plan.stop = 10000;
	plan.grace = 5000;
	while ((option = getopt(argc, argv, "ace:f:hi:I:j:kl:nPqr:s:S:tT:vVW:")) != -1)
		if (option == 'h')
			return fputs(USAGE, stdout) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		else if (option == 'V')
			return puts("jobpool " VERSION) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		else if (option == 'P')
			return print_processors();
		else if (option == 'c')
			cores = 1;
		else if (option == 'j')
			most = optarg;
		else if (set_option(&plan, option, optarg) != 0)
			return usage();
	if (descriptors_fill() != 0)
		fail(STATUS_TROUBLE, "/dev/null:");
	plan.command = argv[optind] == NULL ? NULL : argv + optind;
	if ((plan.command == NULL) == (plan.nursery == NULL))
		return usage();
	check_options(&plan, most, cores);
	return dispatch_run(&plan);
}
