/*
 * tokstat -- shows what a dispenser's tokens are doing: who has them, who waits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lease/makeflags.h"
#include "../lib/complain.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "asking.h"
#include "inlet.h"

#define USAGE "usage: tokstat [-w] [-o table|tsv|json] [FIFO]\n       tokstat -m [FIFO]\n"

enum { FIELDS = 10, LABEL = 5, LINE = 2048, REDRAW = 1 /* seconds */ };

/* A line of the report, cut at its tabs (report.h); the rest are "". */
struct line {
	char text[LINE];
	char *field[FIELDS];
};

struct report {
	struct line *lines;
	size_t count, room;
	char (*commands)[80];  /* of the pids in the lines, as ps(1) says */
};

/* A label may have tabs itself; it is the last of its line. */
static void
cut(struct line *line)
{
	static char none[1];
	char *p = line->text;
	int i, last = strncmp(p, "slot\t", 5) == 0 ? LABEL : FIELDS - 1;

	for (i = 0; i < FIELDS; i++) {
		line->field[i] = p != NULL ? p : none;
		if (p != NULL && (p = i < last ? strchr(p, '\t') : NULL) != NULL)
			*p++ = '\0';
	}
}

/* Or NULL: there is no memory. */
static struct line *
add_line(struct report *report)
{
	struct line *bigger = room_for(report->lines, &report->room, report->count + 1, sizeof *bigger);

	if (bigger == NULL)
		return NULL;
	report->lines = bigger;
	return bigger + report->count++;
}

static void
refused(struct asking *a, const char *fifo, const char *reason)
{
	asking_close(a);
	if (strcmp(reason, "room") == 0)
		fail(STATUS_TROUBLE, "%s: too many are asking", fifo);
	fail(STATUS_TROUBLE, "%s: that dispenser serves one script only", fifo);
}

static int
is(const struct line *line, const char *kind)
{
	return strcmp(line->field[0], kind) == 0;
}

/* All but the label is numbers, and one word in small letters. It goes into a command and into
   JSON, and whoever may write into the dispenser's directory may have written it. */
static int
is_sound(const struct line *line)
{
	int i, slot = is(line, "slot"), last = slot ? LABEL - 1 : is(line, "wait") ? 5 : 9;

	if (!slot && !is(line, "wait") && !is(line, "pool"))
		return 0;
	for (i = 1; i <= last; i++) {
		const char *field = line->field[i],
		           *of = slot && i == 2 ? "abcdefghijklmnopqrstuvwxyz" : "0123456789.";

		if (*field == '\0' || field[strspn(field, of)] != '\0')
			return 0;
	}
	return 1;
}

/* Only once all are there: the lines move while they are read. */
static void
cut_all(struct report *report, const char *fifo)
{
	size_t i;

	for (i = 0; i < report->count; i++) {
		cut(report->lines + i);
		if (!is_sound(report->lines + i) || (i == 0) != is(report->lines + i, "pool"))
			break;
	}
	if (i == 0 || i < report->count)
		fail(STATUS_TROUBLE, "%s: not the answer of a dispenser", fifo);
}

/* Exits where no dispenser is. */
static void
ask(struct report *report, const char *fifo)
{
	struct asking a = {0};
	struct line *line;

	report->count = 0;
	if (asking_open(&a, fifo) != 0)
		fail(STATUS_GONE, "%s: no dispenser there", fifo);
	if (asking_send(&a, "stat", "") != 0) {
		asking_close(&a);
		fail(STATUS_GONE, "%s: the dispenser went away", fifo);
	}
	for (;;) {
		if ((line = add_line(report)) == NULL) {
			asking_close(&a);
			fail(STATUS_TROUBLE, "no memory");
		}
		if (asking_line(&a, line->text, sizeof line->text, -1) != 1 ||
		    strcmp(line->text, "no again") == 0 || strcmp(line->text, "again") == 0) {
			asking_close(&a);
			fail(STATUS_GONE, "%s: the dispenser went away", fifo);
		}
		if (strncmp(line->text, "no ", 3) == 0)
			refused(&a, fifo, line->text + 3);
		if (strcmp(line->text, "end") == 0)
			break;
	}
	asking_close(&a);
	report->count--;
	cut_all(report, fifo);
}

/* The pid in the line, or "". */
static const char *
pid_of(const struct line *line)
{
	const char *pid = is(line, "slot") ? line->field[3] : is(line, "wait") ? line->field[2] : "0";

	return strcmp(pid, "0") == 0 ? "" : pid;
}

static void
set_command(struct report *report, const char *pid, const char *command)
{
	for (size_t i = 0; i < report->count; i++)
		if (strcmp(pid_of(report->lines + i), pid) == 0)
			snprintf(report->commands[i], sizeof *report->commands, "%s", command);
}

/* One ps(1) for all. */
static void
find_commands(struct report *report)
{
	char *command, text[LINE], *args, *pid;
	size_t i, used, size = report->count * 24 + 64;
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
		text[strcspn(text, "\n")] = '\0';
		pid = text + strspn(text, " ");
		args = pid + strcspn(pid, " ");
		if (*args != '\0')
			*args++ = '\0';
		set_command(report, pid, args + strspn(args, " "));
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
		make_blank(report->lines[i].field[LABEL]);
		make_blank(report->commands[i]);
	}
}

static void
print_table(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct line *l = report->lines + i;

		if (is(l, "pool"))
			printf("%s tokens, %s free, %s out, %s waiting\n"
			       "granted %s, returned %s, recovered %s; waited %s s at most, %s s on average\n",
			    l->field[1], l->field[2], l->field[3], l->field[4], l->field[5], l->field[6],
			    l->field[7], l->field[8], l->field[9]);
		else if (is(l, "slot") && strcmp(l->field[2], "free") != 0)
			printf("slot %-5s %-7s %8s s  pid %-7s %-12s %s\n", l->field[1], l->field[2],
			    l->field[4], pid_of(l), l->field[5], report->commands[i]);
		else if (is(l, "slot"))
			printf("slot %-5s free    %*s%s\n", l->field[1], 24, "", l->field[5]);
		else if (is(l, "wait"))
			printf("wait %-5s         %8s s  pid %-7s tokens %s, priority %s  %s\n", l->field[1],
			    l->field[5], l->field[2], l->field[3], l->field[4], report->commands[i]);
	}
}

static void
print_tsv(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct line *l = report->lines + i;
		int last = is(l, "pool") ? 9 : 5;

		for (int f = 0; f <= last; f++)
			printf("%s%s", f > 0 ? "\t" : "", l->field[f]);
		printf(is(l, "pool") ? "\n" : "\t%s\n", report->commands[i]);
	}
}

static void
print_string(const char *text)
{
	putchar('"');
	for (; *text != '\0'; text++)
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned)*text);
		else
			putchar(*text);
	putchar('"');
}

static void
print_json_list(const struct report *report, const char *kind)
{
	const char *comma = "";

	printf("\"%ss\":[", kind);
	for (size_t i = 0; i < report->count; i++) {
		const struct line *l = report->lines + i;

		if (!is(l, kind))
			continue;
		if (is(l, "slot"))
			printf("%s{\"slot\":%s,\"state\":\"%s\",\"pid\":%s,\"seconds\":%s,\"label\":", comma,
			    l->field[1], l->field[2], l->field[3], l->field[4]);
		else
			printf("%s{\"place\":%s,\"pid\":%s,\"tokens\":%s,\"priority\":%s,\"seconds\":%s", comma,
			    l->field[1], l->field[2], l->field[3], l->field[4], l->field[5]);
		if (is(l, "slot"))
			print_string(l->field[5]);
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
	const struct line *l = report->lines;

	printf("{\"tokens\":%s,\"free\":%s,\"out\":%s,\"waiting\":%s,\"granted\":%s,\"returned\":%s,"
	       "\"recovered\":%s,\"longest_wait\":%s,\"mean_wait\":%s,",
	    l->field[1], l->field[2], l->field[3], l->field[4], l->field[5], l->field[6], l->field[7],
	    l->field[8], l->field[9]);
	print_json_list(report, "slot");
	putchar(',');
	print_json_list(report, "wait");
	puts("}");
}

/* For the shell to evaluate: the path has no byte that would need quotes. */
static int
print_makeflags(const char *fifo)
{
	struct asking a = {0};
	char line[LINE], *path, *text;
	long size = 0;

	if (asking_open(&a, fifo) != 0)
		fail(STATUS_GONE, "%s: no dispenser there", fifo);
	if (asking_send(&a, "share", "") != 0 || asking_line(&a, line, sizeof line, -1) != 1 ||
	    strcmp(line, "no again") == 0 || strcmp(line, "again") == 0) {
		asking_close(&a);
		fail(STATUS_GONE, "%s: the dispenser went away", fifo);
	}
	asking_close(&a);
	if (strcmp(line, "no room") == 0)
		fail(STATUS_TROUBLE, "%s: the dispenser cannot make a jobserver now", fifo);
	if (strncmp(line, "ok ", 3) != 0 || (size = strtol(line + 3, &path, 10)) < 1 || *path++ != ' ' ||
	    !makeflags_carries(path))
		fail(STATUS_TROUBLE, "%s: that dispenser has no tokens for builds: it was started without -j",
		    fifo);
	if ((text = makeflags_text(NULL, size, path, -1, -1)) == NULL)
		fail(STATUS_TROUBLE, "no memory:");
	if (printf("MAKEFLAGS='%s'; export MAKEFLAGS\n", text) < 0 || fflush(stdout) != 0)
		fail(STATUS_TROUBLE, "standard output:");
	free(text);
	return STATUS_DONE;
}

int
main(int argc, char **argv)
{
	void (*print)(const struct report *) = print_table;
	struct report report = {0};
	int option, mflag = 0, wflag = 0;
	const char *fifo;

	program = "tokstat";
	while ((option = getopt(argc, argv, "hmo:wV")) != -1)
		switch (option) {
		case 'h': return fputs(USAGE, stdout) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		case 'm': mflag = 1; break;
		case 'o':
			if (strcmp(optarg, "json") == 0)
				print = print_json;
			else if (strcmp(optarg, "tsv") == 0)
				print = print_tsv;
			else if (strcmp(optarg, "table") != 0)
				fail(STATUS_TROUBLE, "-o %s: not table, tsv or json", optarg);
			break;
		case 'w': wflag = 1; break;
		case 'V': return puts("tokstat " VERSION) < 0 ? STATUS_TROUBLE : STATUS_DONE;
		default: fputs(USAGE, stderr); return STATUS_TROUBLE;
		}
	if (argc - optind > 1) {
		fputs(USAGE, stderr);
		return STATUS_TROUBLE;
	}
	fifo = inlet_default(argv[optind]);
	if (mflag)
		return print_makeflags(fifo);
	do {
		ask(&report, fifo);
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
