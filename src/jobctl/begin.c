#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobctl.h"

enum { AGAIN = 100 /* ms until what the system refused is tried again */ };

/* 1 when the job is to be left out, by what the log of an earlier run says. */
static int
ran_before(struct batch *b, const struct arguments *given)
{
	char *text = recipe_text(&b->recipe, given, b->id - b->before, 0);
	int done = joblog_take(&b->log, text, b->plan->terms.resume_all);

	free(text);
	if (done) {
		b->skipped++;
		b->progress.total -= b->progress.total > 0;
		output_skip(&b->outputs, b->id);
		batch_flush(b);
	}
	return done;
}

/* Warns of bytes that Windows adds to a list: they are part of an argument. */
static void
look_at_list(struct batch *b, const char *first)
{
	const char *path = b->plan->input.origins[0].path;
	int mark = strncmp(first, "\xef\xbb\xbf", 3) == 0;

	if (path == NULL || b->plan->input.separator != '\n' || b->plan->terms.quiet ||
	    (!mark && (*first == '\0' || first[strlen(first) - 1] != '\r')))
		return;
	complain(mark ? "warning: the list begins with a byte order mark, which is part of its "
	    "first line; write: tail -c +4 %s | tr -d '\\r' | jobctl ..." : "warning: the list has "
	    "CRLF line ends, and CR is part of each line; write: tr -d '\\r' <%s | jobctl ...",
	    strcmp(path, "-") == 0 ? "LIST" : path);
}

/* The next job that may be started now, or NULL. */
static struct job *
next_job(struct batch *b)
{
	struct job *job = b->ready;
	struct arguments given;
	const char *why;
	int got;

	b->ready = NULL;
	if (job == NULL && b->later != NULL && clock_wait_ms(b->later->due) == 0) {
		job = b->later;
		b->later = job->next;
	}
	if (job != NULL)
		return job;
	while (outputs_room(&b->outputs) && b->stopping == NOT &&
	    (got = group_next(&b->group, &given, &why)) != 0) {
		if (got < 0) {
			b->more = 0;
			b->progress.total = b->id - b->before - b->skipped;
			return NULL;
		}
		if (why == NULL && !recipe_is_job(&b->recipe, given.text))
			continue;
		if (b->id++ == b->before)
			look_at_list(b, given.text);
		if (b->plan->terms.resume && why == NULL && ran_before(b, &given))
			continue;
		job = need_memory(malloc(sizeof *job + given.length));
		*job = (struct job){.id = b->id, .tries = 1, .output = OUTPUT_NONE,
		    .given = {job->text, given.length, given.count}};
		memcpy(job->text, given.text, given.length);
		if (why == NULL)
			return job;
		outcome_refuse(b, job, STATUS_CANNOT_RUN, why);
	}
	return NULL;
}

/* A job could not be started. When the system is short of something, it is tried again; else it
   has failed, and so would all others that have the same command. */
static void
not_started(struct batch *b, struct job *job, int error)
{
	const char *name = recipe_program(&b->recipe);

	output_drop(&job->output);
	errno = error;
	if (error == EMFILE && b->crew.running == 0 && b->outputs.waiting == 0) {
		complain("job %ld cannot be started:", job->id); /* nothing will be closed */
		batch_give_up(b, STATUS_TROUBLE);
		free(job);
		return;
	}
	if (room_short(error)) {
		if (!b->refused)
			complain("job %ld cannot be started now, and is tried again later:",
			    job->id);
		b->refused = 1;
		batch_put_later(b, job, pace_hold(&b->crew.pace, AGAIN)); /* nor any other job */
		return;
	}
	if (error != E2BIG && name != NULL) {
		if (error == ENOENT && !command_there(name))
			complain("%s: %s", name, operand_missing(name));
		else
			complain("%s:", name);
		batch_give_up(b, error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
		batch_count(b, 1);
		free(job);
		return;
	}
	outcome_refuse(b, job, error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN,
	    strerror(error));
}

/* -t: what is about to be started, so that it comes before its output. */
static void
tell_started(struct batch *b, const struct job *job, long slot)
{
	char *text = recipe_text(&b->recipe, &job->given, job->id, slot);
	struct outbox line = {0};

	if (b->outputs.terminal[1])
		outbox_printable(&line, text, strlen(text), (size_t)-1);
	else
		outbox_add(&line, text, strlen(text));
	outbox_say(&line, "\n");
	complain_line(outbox_text(&line));
	outbox_drop(&line);
	free(text);
}

static void
start_job(struct batch *b, struct job *job)
{
	struct seat *seat = crew_seat(&b->crew);
	char **argv = recipe_argv(&b->recipe, &job->given, job->id, seat->number);
	char *tag = batch_tag(b, job, seat->number), **words = argv;
	int error = output_open(&b->outputs, &job->output, job->id, tag) != 0 ? errno : 0;

	if (error != 0 && !room_short(error)) {
		complain(b->plan->terms.mode == OUTPUT_LINES ? "a pipe for output:" :
		    "%s: a file for the output of job %ld:", b->outputs.directory, job->id);
		batch_give_up(b, STATUS_TROUBLE);
		free(job);
		job = NULL;
	} else if (error == 0) {
		if (b->plan->verbose)
			tell_started(b, job, seat->number);
		if (sites_far(&b->sites, seat->number))
			words = need_memory(sites_argv(&b->sites, seat->number, argv));
		error = crew_start(&b->crew, seat, job, words);
	}
	if (words != argv)
		free(words);
	free(argv);
	free(tag);
	if (job != NULL) {
		output_started(&job->output);
		if (error != 0)
			not_started(b, job, error);
	}
}

/* --dry-run: what would be run. */
static void
show_command(struct batch *b, struct job *job)
{
	char *text = recipe_text(&b->recipe, &job->given, job->id, 1);
	struct outbox line = {0};

	outbox_say(&line, "%s\n", text);
	if (outbox_flush(&line, STDOUT_FILENO) != 0)
		batch_fail_output(b);
	free(text);
	free(job);
	b->succeeded++;
}

void
begin_jobs(struct batch *b)
{
	struct job *job;
	long long wait;

	b->put_off = b->held = 0;
	while (b->stopping == NOT && (wait = crew_free_ms(&b->crew)) >= 0) {
		b->put_off = wait > 0;
		if (b->put_off || (job = next_job(b)) == NULL)
			break;
		if (b->plan->terms.dry) {
			show_command(b, job);
			continue;
		}
		b->held = limits_reached(&b->limits);
		if (b->held || (b->plan->borrowing && !jobserver_take(b->crew.running))) {
			b->ready = job; /* a token is taken only when there is a job for it */
			break;
		}
		start_job(b, job);
	}
	jobserver_settle(b->crew.running);
}
