#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

enum { COLUMN = 24 /* where the text begins, in --help */ };

void
options_open(struct options *o, const char *usage, const struct option *table, char **argv)
{
	*o = (struct options){.usage = usage, .table = table, .argv = argv + (argv[0] != NULL)};
}

/* "  -j, --jobs N" and the text. */
static void
show_option(struct outbox *out, const struct option *option)
{
	size_t begin = outbox_waits(out);
	int n;

	if (option->code == 0) {
		outbox_say(out, "\n%s\n", option->help);
		return;
	}
	outbox_say(out, option->code < 256 ? "  -%c" : "    ", option->code);
	if (option->name != NULL)
		outbox_say(out, "%c --%s", option->code < 256 ? ',' : ' ', option->name);
	if (option->argument != NULL)
		outbox_say(out, " %s", option->argument);
	if ((n = (int)(outbox_waits(out) - begin)) >= COLUMN - 1) {
		outbox_say(out, "\n");
		n = 0;
	}
	outbox_say(out, "%*s%s\n", COLUMN - n, "", option->help);
}

static int
is_end(const struct option *option)
{
	return option->code == 0 && option->help == NULL;
}

static void
print_and_exit(struct outbox *out, int status)
{
	if (outbox_flush(out, STDOUT_FILENO) != 0)
		fail(STATUS_TROUBLE, "standard output:");
	exit(status);
}

void
options_help(const struct options *o, int status)
{
	struct outbox out = {0};

	outbox_say(&out, o->table->code != 0 ? "%s\n\n" : "%s\n", o->usage);
	for (const struct option *option = o->table; !is_end(option); option++)
		if (option->help != NULL && *option->help != '!')
			show_option(&out, option);
	print_and_exit(&out, status);
}

/* Several names of one option that begin so count as one. */
static const struct option *
by_name(const struct options *o, const char *name, size_t length)
{
	const struct option *found = NULL;
	char others[256] = "";
	int many = 0;

	for (const struct option *option = o->table; !is_end(option); option++) {
		if (option->name == NULL || strncmp(option->name, name, length) != 0)
			continue;
		if (option->name[length] == '\0')
			return option;
		if (option->help != NULL && *option->help == '!')
			continue; /* refused ones are not abbreviated */
		many |= found != NULL && found->code != option->code;
		if (found == NULL || found->code != option->code)
			snprintf(others + strlen(others), sizeof others - strlen(others),
			    " --%s", option->name);
		found = option;
	}
	if (many)
		fail(STATUS_TROUBLE, "--%.*s: which one?%s", (int)length, name, others);
	return found;
}

/* Its argument is rest, or else the next word. */
static int
take_option(struct options *o, const struct option *option, char *rest)
{
	if (option->help != NULL && *option->help == '!')
		fail(STATUS_TROUBLE, "%s: %s", o->said, option->help + 1);
	if (option->argument == NULL)
		return option->code;
	o->argument = rest;
	if (rest == NULL && (o->argument = *o->argv) == NULL)
		fail(STATUS_TROUBLE, "%s: needs %s", o->said, option->argument);
	if (rest == NULL)
		o->argv++;
	return option->code;
}

/* Suggests the name that begins most like it, dashes aside: more than half of it. */
static void
refuse_unknown(const struct options *o, const char *said)
{
	const char *name = NULL, *a, *b;
	size_t most = strlen(said + 1) / 2, n;

	for (const struct option *option = o->table; !is_end(option) && said[2] != '\0'; option++) {
		if ((a = option->name) == NULL || (option->help != NULL && *option->help == '!'))
			continue;
		for (b = said + 2, n = 0; *a != '\0' && *a == *b; n++) {
			a += 1 + strspn(a + 1, "-");
			b += 1 + strspn(b + 1, "-");
		}
		name = n > most ? option->name : name;
		most = n > most ? n : most;
	}
	if (name != NULL)
		fail(STATUS_TROUBLE, "%s: no such option; did you mean --%s?", said, name);
	fail(STATUS_TROUBLE, "%s: no such option; %s --help lists them%s", said, program,
	    o->others == NULL ? "" : o->others);
}

static int
take_letter(struct options *o)
{
	char letter = *o->letters++, *rest = NULL;
	const struct option *option = o->table;

	snprintf(o->said, sizeof o->said, "-%c", letter);
	while (!is_end(option) && option->code != (unsigned char)letter)
		option++;
	if (is_end(option))
		refuse_unknown(o, o->said);
	if (option->argument != NULL) {
		rest = *o->letters != '\0' ? (char *)o->letters : NULL;
		o->letters = "";
	}
	return take_option(o, option, rest);
}

static int
take_name(struct options *o, char *name)
{
	size_t length = strcspn(name, "=");
	const struct option *option = length == 0 ? NULL : by_name(o, name, length);
	char *rest = name[length] == '=' ? name + length + 1 : NULL;

	snprintf(o->said, sizeof o->said, "--%.*s", (int)length, name);
	if (option == NULL)
		refuse_unknown(o, o->said);
	snprintf(o->said, sizeof o->said, "--%s", option->name);
	take_option(o, option, rest);
	if (rest != NULL && option->argument == NULL)
		fail(STATUS_TROUBLE, "%s: takes no argument; leave out =%s", o->said, rest);
	return option->code;
}

int
options_next(struct options *o)
{
	struct outbox out = {0};
	char *word;
	int code;

	o->argument = NULL;
	if (o->letters != NULL && *o->letters != '\0') {
		code = take_letter(o);
	} else {
		if ((word = *o->argv) == NULL || word[0] != '-' || word[1] == '\0')
			return -1;
		o->argv++;
		if (strcmp(word, "--") == 0)
			return -1;
		o->letters = word[1] == '-' ? "" : word + 1;
		code = word[1] == '-' ? take_name(o, word + 2) : take_letter(o);
	}
	if (code == 'h')
		options_help(o, STATUS_DONE);
	if (code == 'V') {
		outbox_say(&out, "%s " VERSION "\n", program);
		print_and_exit(&out, STATUS_DONE);
	}
	return code;
}

void
options_wrong(const struct options *o, const char *format, ...)
{
	char why[COMPLAIN_ROOM];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof why, format, args);
	va_end(args);
	fail(STATUS_TROUBLE, "%s %s: %s", o->said, *o->argument == '\0' ? "''" : o->argument,
	    why);
}

const char *
options_path(const struct options *o)
{
	if (*o->argument == '\0')
		options_wrong(o, "not a path; is a variable empty?");
	return o->argument;
}

void
options_misused(const struct options *o, const char *why)
{
	complain("%s; %s --help tells more", why, program);
	fprintf(stderr, "%s\n", o->usage);
	exit(STATUS_TROUBLE);
}

void
options_single(const struct options *o, int least, const char *why)
{
	if (o->argv[0] == NULL ? least == 0 : o->argv[1] == NULL)
		return;
	options_misused(o, o->argv[0] != NULL && *o->argv[1] == '-'
	    ? "options stand before the FIFO" : why);
}
