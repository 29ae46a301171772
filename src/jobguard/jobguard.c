/*
 * jobguard -- stays beside a program that a script has for connections or workers, so that all ends
 * in order even if one of them is killed. The shell library runs it; each role is in for_ROLE.c.
 */
#include <string.h>
#include <unistd.h>

#include "../lib/complain.h"
#include "../lib/options.h"
#include "../lib/status.h"
#include "for_connections.h"
#include "for_workers.h"

#define USAGE \
	"usage: jobguard connections directory grace count [option...] command [arg...]\n" \
	"       jobguard workers pid directory functions|program [option of jobpool...]\n" \
	"                [command [arg...]]"

static const struct option table[] = {OPTIONS_END};

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int words; /* needed, the name included */
		int (*begin)(int argc, char **argv);
	} roles[] = {{"connections", 4, for_connections}, {"workers", 4, for_workers}};
	struct options options;

	program = "jobguard";
	options_open(&options, USAGE, table, argv);
	options_next(&options);
	argc -= (int)(options.argv - argv);
	argv = options.argv;
	for (size_t i = 0; argc > 0 && i < sizeof roles / sizeof *roles; i++)
		if (strcmp(argv[0], roles[i].name) == 0 && argc >= roles[i].words)
			return roles[i].begin(argc, argv);
	options_misused(&options, "needs a role and its words");
	return STATUS_TROUBLE;
}
