/*
 * jobplot's outputs: the input is a log of jobs, ours, GNU parallel's or JSON. Jobs of a row
 * follow one another; the picture is text of UTF-8 that XML may have, and not much longer than
 * the log; the trace has an event for each job; the report is printable.
 */
#include <sys/stat.h>

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/jobplot/logged.h"
#include "../../src/jobplot/rows.h"
#include "../../src/jobplot/svg.h"
#include "../../src/jobplot/text.h"
#include "../../src/jobplot/trace.h"
#include "../../src/lib/outbox.h"
#include "../../src/lib/utf8.h"
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
check_rows(const struct logged *jobs, const struct rows *rows)
{
	const struct job *job;
	size_t results = rows->results[0] + rows->results[1] + rows->results[2], sum = 0;

	for (size_t i = 0; i < rows->count; i++)
		sum += rows->row[i].count;
	if (results != jobs->count || sum != jobs->count)
		wrong("%zu jobs, %zu of them in rows, %zu with a result", jobs->count, sum, results);
	for (size_t i = 1; i < jobs->count; i++) {
		job = jobs->job + i;
		if (job->row == job[-1].row && job->start < job[-1].end - SLOP)
			wrong("two jobs of row %zu overlap", job->row);
		if (job->row == job[-1].row && strcmp(job->host, job[-1].host) != 0)
			wrong("row %zu has two hosts", job->row);
	}
}

static void
check_reports(const struct logged *jobs, const struct rows *rows, size_t size)
{
	struct outbox out = {0};

	if (svg_write(&out, jobs, rows) != 0)
		wrong("no picture");
	if (outbox_waits(&out) > FRAME + FOR_A_JOB * jobs->count + size)
		wrong("a picture of %zu bytes for %zu jobs", outbox_waits(&out), jobs->count);
	check_text("picture", outbox_bytes(&out), outbox_waits(&out), 1);
	outbox_drop(&out);
	trace_write(&out, jobs, rows);
	check_text("trace", outbox_bytes(&out), outbox_waits(&out), 0);
	outbox_add(&out, "", 1);
	if (count(outbox_bytes(&out), "{\"ph\":\"X\"") != jobs->count)
		wrong("not as many events as jobs");
	outbox_drop(&out);
	if (text_write(&out, jobs, rows) != 0)
		wrong("no report");
	check_text("report", outbox_bytes(&out), outbox_waits(&out), 0);
	outbox_drop(&out);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct logged jobs;
	struct rows rows;

	ground_enter();
	ground_write("log", data, size);
	if (logged_read(&jobs, "log") == 0) {
		if (rows_make(&rows, &jobs) != 0)
			wrong("no rows");
		check_rows(&jobs, &rows);
		check_reports(&jobs, &rows, size);
		rows_free(&rows);
	}
	logged_free(&jobs);
	return 0;
}
