#include "usage.h"

#include <stdio.h>

#include "complain.h"
#include "status.h"

int
usage(int option, const char *text)
{
	FILE *to = option == 'h' || option == 'V' ? stdout : stderr;
	int said = option == 'V' ? fprintf(to, "%s " VERSION "\n", program)
	    : fprintf(to, "%s\n", text);

	return said < 0 || fflush(to) != 0 || to == stderr ? STATUS_TROUBLE : STATUS_DONE;
}
