/*
 * tokstat -- shows what a dispenser's tokens are doing: who has them, who waits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lease/makeflags.h"
#include "../lib/complain.h"
#include "../lib/fifo.h"
#include "../lib/options.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "../lib/utf8.h"
#include "abroad.h"
#include "asking.h"
#include "inlet.h"

#define USAGE "usage: tokstat [-w] [-o table|tsv|json] [FIFO]\n       tokstat -m [FIFO]"

static const struct option table[] = {
	{'w', "watch", NULL, "again each second"},
	{'o', "output", "FORMAT", "table, tsv or json"},
	{'m', "makeflags", NULL, "what a shell is to evaluate, so that make takes part"},
	OPTIONS_END
};

enum { FIELDS = 10, LABEL = 5, LINE = 2048, COMMAND = 80, REDRAW = 1 /* seconds */ };

/* The lines of a report (report.h): which field is the pid, how many fields follow the first, and
   the names that the fields have in JSON. */
static const struct kind {
	int pid, last;
	const char *name[FIELDS];
} kinds[] = {
    {0, 9, {"pool", "tokens", "free", "out", "waiting", "granted", "returned", "recovered",
            "longest_wait", "mean_wait"}},
    {3, LABEL, {"slot", "slot", "state", "pid", "seconds", "label"}},
    {2, 5, {"wait", "place", "pid", "tokens", "priority", "seconds"}},
    {0, 0, {""}},
};
static const struct kind *const pool = kinds, *const slot = kinds + 1, *const waiter = kinds + 2;

/* A line, cut at its tabs. */
struct line {
	const struct kind *kind;
	char *field[FIELDS], text[LINE];
};

struct report {
	struct line *lines;
	size_t count, room;
	char (*commands)[COMMAND]; /* of the pids in the lines, as ps(1) says */
};

/* Or NULL: there is no memory. */
static struct line *
add_line(struct report *report)
{
	struct line *bigger = room_for(report->lines, &report->room, report->count + 1,
	    sizeof *bigger);

	if (bigger == NULL)
		return NULL;
	report->lines = bigger;
	return bigger + report->count++;
}

/* Exits where no dispenser answers. */
static void
ask(struct report *report, const char *fifo, const char *request)
{
	struct asking a = {0};
	struct line *line = NULL;
	int went;

	if (asking_open(&a, fifo) != 0)
		fail(STATUS_GONE, "%s: no dispenser there", fifo);
	report->count = 0;
	went = asking_send(&a, request, "") != 0;
	while (!went && (line = add_line(report)) != NULL) {
		went = asking_line(&a, line->text, sizeof line->text, -1) != 1 ||
		    strcmp(line->text, "no again") == 0 || strcmp(line->text, "again") == 0;
		if (strncmp(line->text, "no ", 3) == 0 || strncmp(line->text, "ok ", 3) == 0 ||
		    strcmp(line->text, "end") == 0)
			break;
	}
	asking_close(&a);
	if (went)
		fail(STATUS_GONE, "%s: the dispenser went away", fifo);
	if (line == NULL)
		fail(STATUS_TROUBLE, "no memory");
}

/* A label may have tabs itself; it is the last of its line. */
static void
cut(struct line *line)
{
	char *p = line->text;
	const struct kind *kind = kinds;

	while (kind->last > 0 && strncmp(p, kind->name[0], 4) != 0)
		kind++;
	line->kind = kind;
	for (int i = 0; i <= kind->last; i++) {
		line->field[i] = p;
		p += i < kind->last ? strcspn(p, "\t") : 0;
		if (i < kind->last && *p != '\0')
			*p++ = '\0';
	}
}

/* All fields but the label are numbers, or one word in small letters. Anybody who may write into
   the dispenser's directory may have written them, and they go into a command and into JSON. */
static int
is_sound(const struct line *line)
{
	for (int i = 1; i <= line->kind->last && !(line->kind == slot && i == LABEL); i++) {
		const char *field = line->field[i], *of = "0123456789.";

		if (line->kind == slot && i == 2)
			of = "abcdefghijklmnopqrstuvwxyz";
		if (*field == '\0' || field[strspn(field, of)] != '\0')
			return 0;
	}
	return line->kind->last > 0 && strcmp(line->field[0], line->kind->name[0]) == 0;
}

static void
ask_report(struct report *report, const char *fifo)
{
	struct line *line, *end;

	ask(report, fifo, "stat");
	line = end = report->lines + --report->count;
	if (strcmp(line->text, "no room") == 0)
		fail(STATUS_TROUBLE, "%s: too many are asking", fifo);
	if (strncmp(line->text, "no ", 3) == 0)
		fail(STATUS_TROUBLE, "%s: that dispenser serves one script only", fifo);
	for (line = report->lines; line < end; line++) {
		cut(line);
		if (!is_sound(line) || (line == report->lines) != (line->kind == pool))
			break;
	}
	if (report->count == 0 || line < end)
		fail(STATUS_TROUBLE, "%s: not the answer of a dispenser", fifo);
}

/* The pid in the line, or "". */
static const char *
pid_of(const struct line *line)
{
	const char *pid = line->field[line->kind->pid];

	return line->kind->pid == 0 || strcmp(pid, "0") == 0 ? "" : pid;
}

static void
set_command(struct report *report, const char *pid, const char *command)
{
	for (size_t i = 0; i < report->count; i++)
		if (strcmp(pid_of(report->lines + i), pid) == 0)
			snprintf(report->commands[i], COMMAND, "%.*s",
			    (int)utf8_cut(command, COMMAND - 1), command);
}

/* A line of ps(1). */
static void
take_command(struct report *report, char *text)
{
	char *pid = text + strspn(text, " "), *command = pid + strcspn(pid, " ");

	if (*command != '\0')
		*command++ = '\0';
	set_command(report, pid, command + strspn(command, " "));
}

/* One ps(1) for all. */
static void
find_commands(struct report *report)
{
	char *command, text[LINE];
	int ends, begins = 1; /* a line, and not the rest of a long one */
	size_t i, used, end, size = report->count * 24 + 64;
	FILE *ps;

	free(report->commands);
	report->commands = calloc(report->count + 1, sizeof *report->commands);
	command = malloc(size);
	if (report->commands == NULL || command == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	used = (size_t)snprintf(command, size, "ps -o pid= -o args= -p %ld", (long)getpid());
	for (i = 0; i < report->count && used < 60000; i++)
		if (pid_of(report->lines + i)[0] != '\0')
			used += (size_t)snprintf(command + used, size - used, ",%s",
			    pid_of(report->lines + i));
	ps = popen(command, "r");
	while (ps != NULL && fgets(text, sizeof text, ps) != NULL) {
		end = strcspn(text, "\n");
		ends = text[end] == '\n';
		text[end] = '\0';
		if (begins)
			take_command(report, text);
		begins = ends;
	}
	if (ps != NULL)
		pclose(ps);
	free(command);
}

static void
make_blank(char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
			*text = ' ';
}

/* Takes out what would end a field or move the cursor. */
static void
make_printable(struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		if (report->lines[i].kind == slot)
			make_blank(report->lines[i].field[LABEL]);
		make_blank(report->commands[i]);
	}
}

static void
print_table(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct line *l = report->lines + i;
		char *const *f = l->field;

		if (l->kind == pool)
			printf("%s tokens, %s free, %s out, %s waiting\n"
			       "granted %s, returned %s, recovered %s; "
			       "waited %s s at most, %s s on average\n",
			    f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9]);
		else if (l->kind == waiter)
			printf("wait %-5s         %8s s  pid %-7s tokens %s, priority %s  %s\n",
			    f[1], f[5], f[2], f[3], f[4], report->commands[i]);
		else if (strcmp(f[2], "free") != 0)
			printf("slot %-5s %-7s %8s s  pid %-7s %-12s %s\n", f[1], f[2], f[4],
			    pid_of(l), f[LABEL], report->commands[i]);
		else
			printf("slot %-5s free    %*s%s\n", f[1], 24, "", f[LABEL]);
	}
}

static void
print_tsv(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct line *l = report->lines + i;

		for (int f = 0; f <= l->kind->last; f++)
			printf("%s%s", f > 0 ? "\t" : "", l->field[f]);
		printf(l->kind == pool ? "\n" : "\t%s\n", report->commands[i]);
	}
}

/* Anybody chose these bytes; JSON has no others than those of UTF-8. */
static void
print_string(const char *text)
{
	const char *end = text + strlen(text);
	size_t n;

	putchar('"');
	for (; text < end; text += n) {
		n = utf8_character(text, (size_t)(end - text));
		if (n == 0) {
			fputs("\\ufffd", stdout);
			n = 1;
		} else if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned)*text);
		else
			printf("%.*s", (int)n, text);
	}
	putchar('"');
}

/* The fields of the line; all but the state and the label are numbers. */
static void
print_members(const struct line *line)
{
	for (int i = 1; i <= line->kind->last; i++) {
		printf("%s\"%s\":", i > 1 ? "," : "", line->kind->name[i]);
		if (line->kind == slot && (i == 2 || i == LABEL))
			print_string(line->field[i]);
		else
			fputs(line->field[i], stdout);
	}
}

static void
print_json_list(const struct report *report, const struct kind *kind)
{
	const char *comma = "";

	printf(",\"%ss\":[", kind->name[0]);
	for (size_t i = 0; i < report->count; i++)
		if (report->lines[i].kind == kind) {
			printf("%s{", comma);
			print_members(report->lines + i);
			printf(",\"command\":");
			print_string(report->commands[i]);
			putchar('}');
			comma = ",";
		}
	putchar(']');
}

static void
print_json(const struct report *report)
{
	putchar('{');
	print_members(report->lines);
	print_json_list(report, slot);
	print_json_list(report, waiter);
	puts("}");
}

/* For the shell to evaluate: the path has no byte that would need quotes. */
static int
print_makeflags(struct report *report, const char *fifo)
{
	char *line, *path, *text;
	long size = 0;

	ask(report, fifo, "share");
	line = report->lines->text;
	if (strcmp(line, "no room") == 0)
		fail(STATUS_TROUBLE, "%s: the dispenser cannot make a jobserver now", fifo);
	if (strncmp(line, "ok ", 3) != 0 || (size = strtol(line + 3, &path, 10)) < 1 ||
	    *path++ != ' ' || !makeflags_carries(path))
		fail(STATUS_TROUBLE,
		    "%s: that dispenser has no tokens for builds: it was started without -j", fifo);
	if ((text = makeflags_text(NULL, size, path, -1, -1)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	if (printf("MAKEFLAGS='%s'; export MAKEFLAGS\n", text) < 0 || fflush(stdout) != 0)
		fail(STATUS_TROUBLE, "standard output:");
	free(text);
	free(report->lines);
	return STATUS_DONE;
}

int
main(int argc, char **argv)
{
	void (*print)(const struct report *) = print_table;
	struct report report = {0};
	struct options o;
	int code, mflag = 0, wflag = 0;
	const char *fifo;

	program = "tokstat";
	options_open(&o, USAGE, table, argv);
	while ((code = options_next(&o)) != -1)
		switch (code) {
		case 'm': mflag = 1; break;
		case 'o':
			if (strcmp(o.argument, "json") == 0)
				print = print_json;
			else if (strcmp(o.argument, "tsv") == 0)
				print = print_tsv;
			else if (strcmp(o.argument, "table") != 0)
				options_wrong(&o, "not table, tsv or json");
			break;
		case 'w': wflag = 1; break;
		}
	if (argc - (o.argv - argv) > 1)
		options_misused(&o, "needs one FIFO");
	fifo = inlet_default(o.argv[0]);
	if (mflag && fifo_colon(fifo) != NULL)
		options_misused(&o, "-m: the jobserver of HOST:FIFO is not here");
	abroad_become(argv, fifo);
	if (mflag)
		return print_makeflags(&report, fifo);
	do {
		ask_report(&report, fifo);
		find_commands(&report);
		if (print != print_json)
			make_printable(&report);
		if (wflag && isatty(STDOUT_FILENO))
			fputs("\033[H\033[2J", stdout); /* ECMA-48: home, clear */
		print(&report);
		if (fflush(stdout) != 0 || ferror(stdout))
			fail(STATUS_TROUBLE, "standard output:");
	} while (wflag && sleep(REDRAW) == 0);
	free(report.lines);
	free(report.commands);
	return STATUS_DONE;
}
