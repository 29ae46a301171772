/*
 * jobplot's outputs: the input is a log of jobs, ours or GNU parallel's. Jobs of a row follow one
 * another; the picture is text of UTF-8 that XML may have, and not much longer than the log; the
 * trace has an event for each job, and JSON a line; the report is printable, in any width.
 */
#include <sys/stat.h>

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/display/display.h"
#include "../../src/jobplot/jobplot.h"
#include "../../src/lib/lib.h"
#include "ground.h"

enum { SLOP = 2000, FRAME = 16384, FOR_A_JOB = 4096 };

/* Text of UTF-8, and newlines. XML may have tabs, and has no U+FFFE and U+FFFF. */
static void
check_text(const char *what, const char *text, size_t length, int xml)
{
	const char *end = text + length;
	size_t n;

	for (; text < end; text += n) {
		if ((n = utf8_character(text, (size_t)(end - text))) == 0)
			wrong("the %s is no UTF-8", what);
		if ((unsigned char)*text < ' ' && *text != '\n' && (*text != '\t' || !xml))
			wrong("the %s has the character %d", what, *text);
		if (xml && n == 3 && memcmp(text, "\xef\xbf", 2) == 0 && (unsigned char)text[2] > 0xbd)
			wrong("the %s has what is no character", what);
	}
}

static size_t
count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)) != NULL; text++)
		n++;
	return n;
}

static void
check_rows(const struct plot *plot)
{
	const struct job *job, *before;
	size_t results = plot->results[0] + plot->results[1] + plot->results[2];

	if (results != plot->count)
		wrong("%zu jobs, %zu of them with a result", plot->count, results);
	for (size_t i = 0; i < plot->count; i++) {
		job = plot->job[i];
		before = plot->job[i > 0 ? i - 1 : 0];
		if (job->row >= plot->rows || strcmp(job->host, plot->row[job->row].host) != 0)
			wrong("a job is in the row of another host");
		if (i > 0 && job->row == before->row && job->start < before->end - SLOP)
			wrong("two jobs of row %zu overlap", job->row);
		if (plot->prefix + plot->suffix > job->length)
			wrong("a command is shorter than what all have in common");
	}
}

static void
check_reports(const struct plot *plot, size_t size)
{
	struct outbox out = {0};

	svg_write(&out, plot);
	if (outbox_waits(&out) > FRAME + FOR_A_JOB * plot->count + size)
		wrong("a picture of %zu bytes for %zu jobs", outbox_waits(&out), plot->count);
	check_text("picture", outbox_bytes(&out), outbox_waits(&out), 1);
	outbox_drop(&out);
	events_trace(&out, plot);
	check_text("trace", outbox_bytes(&out), outbox_waits(&out), 0);
	outbox_add(&out, "", 1);
	if (count(outbox_bytes(&out), "{\"ph\":\"X\"") != plot->count)
		wrong("not as many events as jobs");
	outbox_drop(&out);
	events_json(&out, plot);
	check_text("JSON", outbox_bytes(&out), outbox_waits(&out), 0);
	outbox_add(&out, "", 1);
	if (count(outbox_bytes(&out), "\n") != plot->count)
		wrong("not as many lines of JSON as jobs");
	outbox_drop(&out);
	text_write(&out, plot, size % 100);
	check_text("report", outbox_bytes(&out), outbox_waits(&out), 0);
	outbox_drop(&out);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct plot plot;

	ground_enter();
	ground_write("log", data, size);
	if (plot_read(&plot, "log") == 0) {
		plot_rows(&plot);
		check_rows(&plot);
		check_reports(&plot, size);
	}
	for (size_t i = 0; i < plot.count; i++)
		free(plot.job[i]);
	free(plot.job);
	free(plot.row);
	return 0;
}
