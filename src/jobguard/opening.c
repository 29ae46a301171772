#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../book/quote.h"
#include "../lib/complain.h"
#include "../lib/number.h"
#include "../lib/outbox.h"
#include "../lib/status.h"
#include "opening.h"

/* Appends _jobctl_b_VARIABLE='TEXT': one line, for news is read by lines. */
static void
assign(struct outbox *shell, const char *variable, const char *text)
{
	outbox_say(shell, "_jobctl_b_%s=", variable);
	quote_word(shell, text, strlen(text));
	outbox_add(shell, " ", 1);
}

/* Letters, digits and _, no digit first: it is a part of names of variables. */
static void
check_name(const char *name)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

	if (*name == '\0' || (*name >= '0' && *name <= '9') ||
	    name[strspn(name, letters)] != '\0')
		fail(STATUS_TROUBLE, "-b %s: not letters, digits and _, or a digit first", name);
}

/* It stays the same wherever the script goes. */
static char *
absolute(int option, char *path)
{
	char here[PATH_MAX], *whole;

	if (*path == '\0')
		fail(STATUS_TROUBLE, "-%c: an empty path", option);
	if (strchr(path, '\n') != NULL)
		fail(STATUS_TROUBLE, "-%c: a newline in a path", option);
	if (*path == '/')
		return path;
	if (getcwd(here, sizeof here) == NULL)
		fail(STATUS_TROUBLE, "the current directory:");
	if ((whole = malloc(strlen(here) + strlen(path) + 2)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	sprintf(whole, "%s/%s", here, path);
	return whole;
}

/* What the shell has to know itself. */
static void
tell_shell(struct outbox *shell, int option, const char *text)
{
	if (strchr("eEm", option) != NULL && *text == '\0')
		fail(STATUS_TROUBLE, "-%c: an empty name", option);
	switch (option) {
	case 'b':
		check_name(text);
		assign(shell, "name", text);
		break;
	case 'e': assign(shell, "hook", text); break;
	case 'E': assign(shell, "error", text); break;
	case 'm': assign(shell, "hears", text); break;
	case 'n': outbox_say(shell, "_jobctl_b_nice=%ld ", number_nice(text)); break;
	case 'o': assign(shell, "directory", text); break;
	case 'r': assign(shell, "tries", "1"); /* FALLTHROUGH */
	case 'D': case 'R': assign(shell, "taskless", "1"); break;
	}
}

static void
take(struct opening *o, struct arguments *tokend, int option, const char *text)
{
	switch (option) {
	case 'b': case 'm': case 'n': break;
	case 'd': case 'i': case 's': case 'L':
		arguments_add(tokend, "-%c", option);
		arguments_add(tokend, "%s", text);
		break;
	default: arguments_add(tokend, "-B-%c%s", option, text);
	}
	o->shows |= strchr("DFgkt", option) != NULL;
}

void
opening_read(struct opening *o, struct arguments *tokend, int argc, char **argv)
{
	const char *flags = getenv("MAKEFLAGS");
	int option, asks = 0, texts = 0;
	struct outbox shell = {0};

	*o = (struct opening){0};
	while ((option = getopt(argc, argv, ":b:d:De:E:FgH:i:kl:L:m:n:o:pP:qr:Rs:tT:")) != -1) {
		if (option == '?' && optopt == '-')
			fail(STATUS_TROUBLE, "%s: no such option", argv[optind]);
		if (option == '?')
			fail(STATUS_TROUBLE, "-%c: no such option", optopt);
		if (option == ':')
			fail(STATUS_TROUBLE, "-%c needs an argument", optopt);
		if (option == 'l' || option == 'o')
			optarg = absolute(option, optarg);
		tell_shell(&shell, option, optarg);
		take(o, tokend, option, optarg == NULL ? "" : optarg);
		asks |= option == 'e';
		texts |= strchr("DEgHklopPrRt", option) != NULL; /* the commands of all jobs */
	}
	if (argc - optind > 1)
		fail(STATUS_TROUBLE, "%s: one number of jobs is enough", argv[optind + 1]);
	if (texts)
		assign(&shell, "asks", "texts");
	if (asks || texts)
		arguments_add(tokend, "-Basks");
	o->borrows = optind == argc && flags != NULL && strstr(flags, "--jobserver-") != NULL;
	arguments_add(tokend, "-n");
	arguments_add(tokend, "%s", optind < argc ? argv[optind] : "100%");
	outbox_add(&shell, "", 1);
	if ((o->shell = outbox_whole(&shell)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
}
