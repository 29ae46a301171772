/*
 * tokstat's view of a dispenser's report: the first byte is the form, the rest the lines. A
 * terminal gets no sequences but ours, and nothing else it would obey.
 */
#include "leaving.h"

#define asking_open asking_opened
#define asking_send asking_sent
#define asking_line asking_lines
#define asking_close asking_closed
#include "../../src/lib/lib.h"
#include "../../src/tokstat/tokstat.h"
#include "../../src/tools/tools.h"

enum { FORMS = 5 };

static char *rest;
static struct subject subject;
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

/* How many bytes of a drawing are one of our sequences; or 0. */
static size_t
is_ours(const char *text)
{
	static const char *const ours[] = {"\033[K", "\033[m", "\033[1m", "\033[31m", "\033[32m",
	    "\033[35m", "\r\n"};

	for (size_t i = 0; form >= 3 && i < sizeof ours / sizeof *ours; i++)
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
run(void *context)
{
	(void)context;
	subject_read(&subject, -1);
	if (form == 1)
		sheet_tsv(&shown, &subject.sheet);
	else if (form == 2)
		sheet_json(&shown, &subject.sheet);
	else if (form == 0)
		view_draw(&shown, &subject, 0, 1000, 0, "\n");
	else
		view_draw(&shown, &subject, form == 3 ? 20 : 133, 9, form == 4, "\033[K\r\n");
	outbox_add(&shown, "", 1);
	check(outbox_bytes(&shown), outbox_waits(&shown) - 1);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static char name[] = "f";
	static int quiet;
	char *script;

	if (size == 0)
		return 0;
	if (!quiet && freopen("/dev/null", "w", stdout) == NULL)
		wrong("no /dev/null");
	quiet = 1;
	form = data[0] % FORMS;
	subject = (struct subject){.kind = SUBJECT_POOL, .path = name};
	rest = script = ground_text(data + 1, size - 1);
	leaves(run, NULL);
	outbox_drop(&shown);
	sheet_drop(&subject.sheet);
	(free)(script);
	return 0;
}
