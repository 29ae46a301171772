#include <string.h>

#include "jobplot.h"

void
events_trace(struct outbox *out, const struct plot *plot)
{
	char name[ROW_NAME];

	outbox_say(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,"
	    "\"name\":\"process_name\",\"args\":{\"name\":\"jobs\"}}");
	for (size_t i = 0; i < plot->rows; i++) {
		row_name(name, plot->row + i);
		outbox_say(out, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%zu,\"name\":\"thread_name\","
		    "\"args\":{\"name\":", i + 1);
		json_string(out, name, strlen(name));
		outbox_say(out, "}}");
	}
	for (size_t i = 0; i < plot->count; i++) {
		const struct job *job = plot->job[i], *next = job;
		long long end = job->end;

		/* Starts and times are rounded: jobs of a slot may seem to overlap a little. */
		if (i + 1 < plot->count)
			next = plot->job[i + 1];
		if (next != job && next->row == job->row && next->start < end)
			end = next->start;
		outbox_say(out, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%zu,\"ts\":%lld,\"dur\":%lld,"
		    "\"cat\":\"%s\",\"name\":", job->row + 1, job->start, end - job->start,
		    result_word[job->result]);
		json_string(out, job->command, job->length);
		outbox_say(out, ",\"args\":{\"seq\":%ld,\"exit\":%d,\"signal\":%d}}", job->seq,
		    job->exit, job->signal);
	}
	outbox_say(out, "\n]}\n");
}

void
events_json(struct outbox *out, const struct plot *plot)
{
	for (size_t i = 0; i < plot->count; i++) {
		const struct job *job = plot->job[i];
		long long start = (plot->epoch + job->start) / 1000;
		long long ms = (job->end - job->start) / 1000;

		outbox_say(out, "{\"seq\":%ld,\"host\":", job->seq);
		json_string(out, job->host, strlen(job->host));
		outbox_say(out, ",\"start\":%lld.%03lld,\"seconds\":%lld.%03lld,\"send\":%lld,"
		    "\"receive\":%lld,\"exit\":%d,\"signal\":%d,\"command\":", start / 1000,
		    start % 1000, ms / 1000, ms % 1000, job->sent, job->received, job->exit,
		    job->signal);
		json_string(out, job->command, job->length);
		outbox_say(out, "}\n");
	}
}
