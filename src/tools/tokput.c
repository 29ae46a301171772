/*
 * tokput -- gives a token back: into a job's own lease, which is what $FIFO names there, or into
 * the inlet of a dispenser; or it changes how many tokens that has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lease/words.h"
#include "../lib/complain.h"
#include "../lib/number.h"
#include "../lib/status.h"
#include "../lib/usage.h"
#include "inlet.h"

#define USAGE "usage: tokput [FIFO]\n       tokput -n count | -a label | -d label FIFO"

static void
check_label(const char *label)
{
	if (*label == '\0' || strlen(label) > LONGEST_LABEL || strpbrk(label, "\n@") != NULL)
		fail(STATUS_TROUBLE, "%s: a label is one line of 1 to %d bytes without a @", label,
		    LONGEST_LABEL);
}

int
main(int argc, char **argv)
{
	char text[LONGEST_LABEL + 16] = "C";
	const char *path;
	int option;

	program = "tokput";
	while ((option = getopt(argc, argv, "a:d:hn:V")) != -1)
		switch (option) {
		case 'a':
			check_label(optarg);
			snprintf(text, sizeof text, "@add %s\n", optarg);
			break;
		case 'd':
			check_label(optarg);
			snprintf(text, sizeof text, "@drop %s\n", optarg);
			break;
		case 'n':
			snprintf(text, sizeof text, "@size %ld\n",
			    number_option('n', optarg, 1, MOST_TOKENS));
			break;
		default: return usage(option, USAGE);
		}
	if (argc - optind > 1 || (*text == '@' && argc == optind))
		return usage('?', USAGE);
	path = inlet_default(argv[optind]);
	inlet_write(inlet_open(path), path, text);
	return STATUS_DONE;
}
