/*
 * tokput -- gives a token back: into a job's own lease, which is what $FIFO
 * names there, or into the inlet of a dispenser that counts in bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "complain.h"
#include "inlet.h"
#include "status.h"

#define USAGE "usage: tokput [FIFO]\n"

int
main(int argc, char **argv)
{
	const char *path;
	int option;

	program = "tokput";
	while ((option = getopt(argc, argv, "hV")) != -1)
		switch (option) {
		case 'h': return fputs(USAGE, stdout) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		case 'V': return puts("tokput " VERSION) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		default: fputs(USAGE, stderr); return STATUS_TROUBLE;
		}
	if (argc - optind > 1) {
		fputs(USAGE, stderr);
		return STATUS_TROUBLE;
	}
	path = inlet_default(argv[optind]);
	inlet_write(inlet_open(path), path, "C", 1);
	return STATUS_DONE;
}
