/*
 * tokput -- gives a token back by its lease, such as a job's own, which $FIFO names there; or it
 * changes how many tokens a dispenser has.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

#define USAGE "usage: tokput [FIFO]\n       tokput -n N | -a LABEL | -d LABEL FIFO"

static const struct option table[] = {
	{'n', "tokens", "N", "change the number of tokens to N; 0: pause"},
	{'a', "add", "LABEL", "add a slot with this label"},
	{'d', "drop", "LABEL", "remove the slot with this label"},
	OPTIONS_END
};

static void
check_label(const struct options *o)
{
	const char *label = o->argument;

	if (*label == '\0' || strlen(label) > LONGEST_LABEL || strpbrk(label, "\n@") != NULL)
		options_wrong(o, "not a label: one line of 1 to %d bytes without a @",
		    LONGEST_LABEL);
}

/* Asks for a change of the pool, and exits unless it was made. */
static void
ask_pool(const char *path, const char *what, const char *value)
{
	char answer[64];

	if (!asking_once(path, what, value, answer, sizeof answer))
		fail(STATUS_TROUBLE, "%s: not changed yet: its tokend is stopped, or too busy to "
		    "answer", path);
	if (strcmp(answer, "no label") == 0)
		fail(STATUS_TROUBLE, "%s: -d %s: no slot has this label", path, value);
	if (strcmp(answer, "no room") == 0)
		fail(STATUS_TROUBLE, "%s: no room for more%s", path, strcmp(what, "add") == 0
		    ? ": the labels take 4 MB" : "");
	if (strcmp(answer, "no attendant") == 0)
		fail(STATUS_TROUBLE, "%s: its tokend serves one script only", path);
	if (strcmp(answer, "ok") != 0)
		fail(STATUS_TROUBLE, "%s: not changed: %s", path, answer);
}

/* Exits if that is the FIFO of a pool: whose token would that be? */
static void
check_lease(const char *path)
{
	char directory[PATH_MAX];

	snprintf(directory, sizeof directory, "%s.d", path);
	if (access(directory, F_OK) == 0)
		fail(STATUS_TROUBLE, "%s: is a pool: a token comes back when its command ends, or "
		    "by tokput of what tokget -l has printed", path);
}

int
main(int argc, char **argv)
{
	const char *path, *what = NULL, *value = NULL;
	struct options o;
	int code;

	(void)argc;
	program = "tokput";
	options_open(&o, USAGE, table, argv);
	while ((code = options_next(&o)) != -1) {
		switch (code) {
		case 'a': what = "add"; break;
		case 'd': what = "drop"; break;
		case 'n': what = "size"; break;
		}
		if (value != NULL)
			fail(STATUS_TROUBLE, "one change at a time: -a, -d or -n");
		value = o.argument;
		if (code == 'n')
			number_option(&o, 0, MOST_TOKENS);
		else
			check_label(&o);
	}
	options_single(&o, what != NULL, "needs one FIFO");
	path = inlet_default(o.argv[0]);
	abroad_become(argv, path, NULL);
	path = inlet_path(path);
	if (what != NULL)
		ask_pool(path, what, value);
	else {
		check_lease(path);
		inlet_write(path, "C");
	}
	return STATUS_DONE;
}
