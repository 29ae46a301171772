#include <string.h>

#include "../display/human.h"
#include "../display/json.h"
#include "../lib/outbox.h"
#include "../lib/utf8.h"
#include "figures.h"
#include "logged.h"
#include "rows.h"
#include "trace.h"

enum { NAME = 60 /* bytes of a command that are the name of its event */ };

static void
name_row(struct outbox *out, const struct row *row, size_t tid)
{
	char name[ROW_NAME];

	row_name(name, row);
	outbox_say(out, "{\"ph\":\"M\",\"pid\":1,\"tid\":%zu,\"name\":\"thread_name\",\"args\":"
	    "{\"name\":", tid);
	json_string(out, name, strlen(name));
	outbox_say(out, "}},\n{\"ph\":\"M\",\"pid\":1,\"tid\":%zu,\"name\":\"thread_sort_index\","
	    "\"args\":{\"sort_index\":%zu}},\n", tid, tid);
}

/* The log has milliseconds: jobs of one slot may seem to overlap, which viewers do not take. */
static long long
duration(const struct job *job, const struct job *next)
{
	if (next != NULL && next->row == job->row && next->start < job->end)
		return next->start - job->start;
	return job->end - job->start;
}

static void
add_job(struct outbox *out, const struct job *job, const struct job *next)
{
	static const char *const colours[] = {"good", "terrible", "bad"};
	enum result result = job_result(job);
	size_t cut = job->length < NAME ? job->length : NAME;

	while (cut > NAME - 4 && cut < job->length &&
	    ((unsigned char)job->command[cut] & 0xc0) == 0x80)
		cut--; /* no half a character */
	outbox_say(out, "{\"ph\":\"X\",\"pid\":1,\"tid\":%zu,\"ts\":%lld,\"dur\":%lld,\"cat\":"
	    "\"%s\",\"cname\":\"%s\",\"name\":", job->row + 1, job->start, duration(job, next),
	    result_word[result], colours[result]);
	json_string(out, cut == 0 ? "job" : job->command, cut == 0 ? 3 : cut);
	outbox_say(out, ",\"args\":{\"seq\":%lld,\"exit\":%d,\"signal\":%d,\"command\":", job->seq,
	    job->exit, job->signal);
	json_string(out, job->command, job->length);
	outbox_say(out, "}}");
}

void
trace_write(struct outbox *out, const struct logged *jobs, const struct rows *rows)
{
	char begin[HUMAN], results[FIGURE], busy[FIGURE];

	begin_text(begin, jobs);
	results_text(results, jobs, rows);
	busy_text(busy, rows);
	outbox_say(out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"begin\":\"%s\",\"jobs\":"
	    "\"%s\",\"busy\":\"%s\"},\n\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"name\":"
	    "\"process_name\",\"args\":{\"name\":\"jobs\"}},\n", begin, results, busy);
	for (size_t i = 0; i < rows->count; i++)
		name_row(out, rows->row + i, i + 1);
	for (size_t i = 0; i < jobs->count; i++) {
		add_job(out, jobs->job + i, i + 1 < jobs->count ? jobs->job + i + 1 : NULL);
		outbox_say(out, i + 1 < jobs->count ? ",\n" : "\n");
	}
	outbox_say(out, "]}\n");
}
