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
#include "inlet.h"

#define USAGE "usage: tokput [FIFO]\n       tokput -n count | -a label | -d label FIFO\n"

static int
usage(void)
{
	fputs(USAGE, stderr);
	return STATUS_TROUBLE;
}

static void
check_label(const char *label)
{
	if (*label == '\0' || strlen(label) > LONGEST_LABEL || strpbrk(label, "\n@") != NULL)
		fail(STATUS_TROUBLE, "%s: a label is one line of 1 to %d bytes without a @", label, LONGEST_LABEL);
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
		case 'h': return fputs(USAGE, stdout) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		case 'n':
			snprintf(text, sizeof text, "@size %ld\n", number_option('n', optarg, 1, MOST_TOKENS));
			break;
		case 'V': return puts("tokput " VERSION) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		default: return usage();
		}
	if (argc - optind > 1 || (*text == '@' && argc == optind))
		return usage();
	path = inlet_default(argv[optind]);
	inlet_write(inlet_open(path), path, text);
	return STATUS_DONE;
}
