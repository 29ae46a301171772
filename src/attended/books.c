#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attended.h"

static const struct option table[] = {
	TERMS_WHEN, TERMS_OUTPUT, TERMS_TOTAL_JOBS, TERMS_DRY_RUN, TERMS_LOGGED,
	{0, NULL, NULL, NULL}
};

int
books_option(struct books *b, const char *text)
{
	const struct { const char *name; int *flag; const char **text; } names[] = {
	    {"asks", &b->asks, NULL}, {"ended", &b->ended, NULL},
	    {"failed", &b->failed_too, NULL}, {"waits", &b->waits, NULL},
	    {"words", &b->words, NULL}, {"grace=", NULL, &b->grace}, {"who=", NULL, &b->who},
	    {"worker=", NULL, &b->worker}};
	char *words[] = {"", (char *)text, NULL};
	struct options options;

	if (text[0] == '-' && text[1] != '\0') {
		options_open(&options, "", table, words);
		terms_take(&b->terms, &options, options_next(&options));
		return 0;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t length = strlen(names[i].name);

		if (strncmp(text, names[i].name, length) != 0 ||
		    (names[i].flag != NULL && text[length] != '\0'))
			continue;
		if (names[i].flag != NULL)
			*names[i].flag = 1;
		else
			*names[i].text = text + length;
		return 0;
	}
	complain("-B %s: no such option of a batch", text);
	return -1;
}

void
books_stop(struct books *b, int result)
{
	if (b->result == 0 || b->result == 1)
		b->result = result;
}

int
books_open(struct books *b)
{
	b->first_failed = -1;
	if (outputs_open(&b->outputs, &b->terms, &b->log, b->out > 0 ? (int)b->out : STDOUT_FILENO,
	    b->next) != 0)
		return -1;
	outputs_bound(&b->outputs, 0);
	b->next = b->outputs.next;
	progress_open(&b->progress, b->terms.progress, -1);
	return 0;
}

int
books_skip(struct books *b, const char *text)
{
	char *again = b->terms.resume || b->terms.dry ? quote_again(text) : NULL;
	struct outbox line = {0};
	int skips;

	if (again == NULL)
		return 0;
	skips = joblog_take(&b->log, again, b->terms.resume_all);
	if (!skips && b->terms.dry && (outbox_say(&line, "%s\n", again) != 0 ||
	    outbox_flush(&line, b->outputs.to[0]) != 0)) {
		complain("standard output:");
		books_stop(b, STATUS_TROUBLE);
	}
	skips |= b->terms.dry;
	if (skips) {
		b->started++;
		b->skipped++;
		output_skip(&b->outputs, b->next++);
	}
	free(again);
	return skips;
}

/* The command of a job as messages, log and tags show it; the caller frees it, or NULL. */
static char *
command_of(const struct books *b, const struct job *job)
{
	struct outbox box = {0};
	char *text;

	if (job->text == NULL)
		return NULL;
	if (job->task != NULL)
		outbox_say(&box, "'%s' ", b->worker == NULL ? "" : b->worker);
	outbox_say(&box, "%s", job->text);
	text = quote_again(outbox_text(&box));
	outbox_drop(&box);
	return text;
}

/* Shows the job's output, from the files of its lease, or of --results; lease is NULL if it has
   left none. A job of the library makes the files of its lease before it begins. */
static void
show_files(struct books *b, const struct job *job, struct end end, const char *lease,
    const char *text)
{
	struct output output = OUTPUT_NONE;
	char *line = NULL;

	if (lease == NULL || output_adopt(&b->outputs, &output, job->id, b->dir, lease) == 0) {
		end.bytes = output_ended(&b->outputs, &output);
		if (lease != NULL && b->who != NULL && job->status == 0 && output.fd[0] < 0 &&
		    b->terms.mode != OUTPUT_PLAIN && !b->outputs.files) {
			complain("job %ld: the files of its output were removed", job->id);
			b->outputs.lost = 1;
		} else
			line = joblog_text(&b->log, &end, job->text == NULL ? "" : text);
		if (output_show(&b->outputs, &output, job->id, b->terms.tag ? text : NULL,
		    line) == 0)
			return;
	}
	complain("job %ld: output:", job->id);
	books_stop(b, STATUS_TROUBLE);
}

void
books_count(const struct books *b)
{
	long done = b->succeeded + b->failed + b->skipped;

	if (b->first_failed >= 0)
		attendant_say("count %ld %ld %ld\n", done, b->failed, b->first_failed);
	else
		attendant_say("count %ld %ld\n", done, b->failed);
}

/* Tells the shell, for its callbacks. */
static void
tell_end(const struct books *b, const struct job *job)
{
	if (job->task != NULL || b->ended || (b->failed_too && job->status != 0))
		books_count(b);
	if (job->task != NULL && job->status == 0)
		attendant_tell("result %ld %s\n", job->id, job->task);
	else if (job->task != NULL)
		attendant_tell("gave %d %s\n", job->status, job->task);
	if (b->failed_too && job->status != 0 && job->text != NULL && !job->told)
		attendant_tell("failed %ld %d %s%s%s\n", job->id, job->status,
		    job->task != NULL ? b->worker : "", job->task != NULL ? " " : "",
		    job->text);
	if (b->ended)
		attendant_tell("ended %ld %d %lld.%03lld %ld\n", job->id, job->status,
		    job->ms / 1000, job->ms % 1000, job->slot);
}

void
books_read(const struct books *b, long id)
{
	char name[48];

	snprintf(name, sizeof name, "%ld.result", id);
	unlinkat(b->dir, name, 0);
}

void
books_forget(const struct books *b, const struct job *job, const char *lease)
{
	file_forget(b->dir, lease);
	books_read(b, job->id);
}

void
books_enter(struct books *b, const struct job *job, const char *lease)
{
	char *text = command_of(b, job);
	int killed = job->status > 128;
	const struct end end = {.id = job->id, .status = killed ? 0 : job->status,
	    .signal = killed ? job->status - 128 : 0, .limit = job->late ? b->terms.limit : 0,
	    .why = job->why, .host = job->slot <= b->labelled ? b->labels[job->slot - 1] : NULL,
	    .slot = job->slot, .start = job->start, .ms = job->ms};

	show_files(b, job, end, lease, text);
	if (job->status != 0 && !b->terms.quiet && !b->failed_too && !job->lost &&
	    (job->late || !job->ended))
		verdict_say(&end, text);
	free(text);
	b->succeeded += job->status == 0;
	b->failed += job->status != 0;
	if (job->status != 0 && b->first_failed < 0)
		b->first_failed = job->id;
	if (b->result == 0 && halt_reached(&b->terms.halt, b->succeeded, b->failed)) {
		books_stop(b, 1);
		b->stopping = b->terms.halt.now;
	}
	tell_end(b, job);
}

int
books_ended(struct books *b, struct job *job, const char *lease)
{
	int again;

	if (job->late && job->status == 0)
		job->status = 128 + SIGTERM; /* it has ended well, but too late */
	again = job->again && b->result == 0 &&
	    (b->worker == NULL || job->task != NULL) && !(job->lost && b->once) &&
	    job->tries < b->terms.retry.tries;
	if (!again)
		books_enter(b, job, lease);
	if (job->status != 0)
		books_forget(b, job, lease);
	return again;
}

int
books_show(struct books *b)
{
	if (lines_pump() != 0) {
		if (b->result != STATUS_TROUBLE)
			complain("output:");
		books_stop(b, STATUS_TROUBLE);
	}
	if (b->log.failed)
		books_stop(b, STATUS_TROUBLE);
	return lines_blocked();
}

long
books_total(const struct books *b)
{
	return b->terms.total > 0 ? b->terms.total - b->skipped : -1;
}

struct figures
books_figures(const struct books *b)
{
	return (struct figures){.done = b->succeeded + b->failed, .failed = b->failed,
	    .running = b->running, .begun = b->started};
}

void
books_close(struct books *b)
{
	struct figures now;

	if (b->started != b->succeeded + b->failed + b->skipped) {
		complain("the books do not balance: %ld started, %ld succeeded, %ld failed, "
		    "%ld left out", b->started, b->succeeded, b->failed, b->skipped);
		books_stop(b, STATUS_TROUBLE);
	}
	if (joblog_close(&b->log) != 0)
		books_stop(b, STATUS_TROUBLE);
	now = books_figures(b);
	now.running = 0;
	b->progress.total = books_total(b);
	progress_end(&b->progress, &now);
	if (!b->terms.quiet && b->result == 0)
		joblog_check(&b->log);
}

int
books_result(const struct books *b)
{
	if (b->result > 1)
		return b->result;
	return b->outputs.lost ? STATUS_TROUBLE : b->failed > 0; /* 1: of --halt */
}
