/*
 * tokstat's view of a dispenser's report: the first byte is the form, the rest the lines. A
 * terminal gets no sequences but ours, and a shell evaluates only a path that needs no quotes.
 */
#include "leaving.h"

#define asking_open asking_opened
#define asking_send asking_sent
#define asking_line asking_lines
#define asking_close asking_closed
#define asking_once asked_once
#define makeflags_text makeflags_shown
int tokstat_main(int argc, char **argv);
#define main tokstat_main
#include "../../src/tokstat/tokstat.c"
#undef main
#include "../../src/lib/utf8.h"


enum { FORMS = 6 };

static char *rest;
static struct survey survey;
static struct outbox shown;
static int form;

int
asking_opened(struct asking *a, const char *fifo)
{
	a->fifo = fifo;
	a->name = rest;
	return 0;
}

int
asking_sent(struct asking *a, const char *what, const char *more, long long until)
{
	return until < 0 || a->fifo == NULL || what == NULL || more == NULL ? -1 : 0;
}

int
asking_lines(struct asking *a, char *line, size_t size, long long until)
{
	char *next = line_next(&rest);

	if (next == NULL)
		return -1;
	if (strlen(next) >= size)
		fail(STATUS_TROUBLE, "%s: a long line, %lld", a->fifo, until);
	strcpy(line, next);
	return 1;
}

void
asking_closed(struct asking *a)
{
	a->fifo = NULL;
}

int
asked_once(const char *fifo, const char *what, const char *more, char *line, size_t size)
{
	struct asking a = {.fifo = fifo};

	if (asking_lines(&a, line, size, -1) != 1)
		fail(STATUS_GONE, "%s: no %s%s", fifo, what, more);
	return 1;
}

char *
makeflags_shown(const char *old, long size, const char *path, int in, int out)
{
	(void)old; /* of the make that runs this */
	if (size < 1 || in != -1 || out != -1)
		wrong("-j%ld", size);
	if (path[0] != '/' || strpbrk(path, " '\\\"$\n\t;") != NULL)
		wrong("a shell would evaluate '%s'", path);
	return leaving_calloc(1, 1);
}

/* How many bytes of a drawing are one of our sequences; or 0. */
static size_t
is_ours(const char *text)
{
	static const char *const ours[] = {"\033[H", "\033[K", "\033[J", "\033[m", "\033[1m",
	    "\033[2m", "\033[7m", "\r\n"};

	for (size_t i = 0; form >= 4 && i < sizeof ours / sizeof *ours; i++)
		if (strncmp(text, ours[i], strlen(ours[i])) == 0)
			return strlen(ours[i]);
	return 0;
}

static void
check(const char *text, size_t length)
{
	size_t n;

	for (const char *end = text + length; text < end; text += n) {
		if ((n = is_ours(text)) > 0)
			continue;
		n = utf8_character(text, (size_t)(end - text));
		if (form != 1 && n == 0)
			wrong("no UTF-8: %d", (unsigned char)*text);
		n = n == 0 ? 1 : n;
		if (((unsigned char)*text < ' ' && *text != '\n' && !(form == 1 && *text == '\t')) ||
		    *text == 127 || (form != 1 && n == 2 && (unsigned char)*text == 0xc2 &&
		    (unsigned char)text[1] < 0xa0 && form != 2))
			wrong("a terminal would obey %d", (unsigned char)*text);
	}
}

static void
show(void)
{
	struct screen screen = {.columns = form == 4 ? 20 : 133, .rows = 9, .coloured = form == 5};
	struct sheet *sheet = &survey.sheet;

	for (size_t i = 1; i < sheet->count; i++)
		sheet_command(sheet->list + i, sheet->list[i - 1].field[0]);
	if (form >= 4) {
		sheet_window(sheet, 3, 5);
		view_draw(&shown, &screen, sheet, &(struct glance){.fifo = "f", .ms = -1});
	} else if (form == 1) {
		sheet_tsv(&shown, sheet);
	} else if (form == 2) {
		sheet_json(&shown, sheet);
	} else
		view_plain(&shown, sheet);
	outbox_add(&shown, "", 1);
	check(outbox_bytes(&shown), outbox_waits(&shown) - 1);
}

static void
run(void *context)
{
	(void)context;
	if (form == 3) {
		print_makeflags("f");
		return;
	}
	survey_check("f", survey_begin(&survey, "f", 0, -1));
	survey_check("f", survey_step(&survey, -1));
	show();
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static int quiet;
	char *script;

	if (size == 0)
		return 0;
	if (!quiet && freopen("/dev/null", "w", stdout) == NULL)
		wrong("no /dev/null");
	quiet = 1;
	form = data[0] % FORMS;
	rest = script = ground_text(data + 1, size - 1);
	leaves(run, NULL);
	outbox_drop(&shown);
	sheet_drop(&survey.sheet);
	survey = (struct survey){.sheet.rows = -1};
	(free)(script);
	return 0;
}
