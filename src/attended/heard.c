#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../lease/words.h"
#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/number.h"
#include "../lib/status.h"
#include "../lib/utf8.h"
#include "attended.h"

struct heard {
	struct jobs *jobs;
	struct lease *lease;
};

int
heard_status(long status)
{
	return (int)(status > 256 ? (status & 127) | 128 : status);
}

/* A job that has returned its token no longer begins in its slot. */
static void
begin(struct jobs *jobs, struct lease *lease)
{
	lease->since = clock_now();
	clock_gettime(CLOCK_REALTIME, &lease->start);
	lease->running = 1;
	if (lease < jobs->leases.list + jobs->leases.count)
		pace_begin(jobs->pace, &lease->turn);
}

/* "3 COMMAND", or "0"; or "127!n COMMAND": n is why the command cannot be run. The first counts. */
static int
take_status(struct job *job, const char *text, size_t length)
{
	size_t digits = strspn(text, "0123456789");
	long status = strtol(text, NULL, 10);
	char why = 0;

	if (digits == 0 || status > 511)
		return -1;
	if (length > digits + 1 && text[digits] == '!') {
		why = text[digits + 1];
		digits += 2;
	}
	if (length > digits && text[digits] != ' ')
		return -1;
	if (!job->granted || job->known)
		return 0;
	job->known = 1;
	job->why = why;
	job->status = heard_status(status);
	if (job->text == NULL && length > digits + 1)
		job->told = (job->text = strdup(text + digits + 1)) != NULL;
	return 0;
}

/* The wait before its next try; only the last one counts. */
static int
take_after(struct job *job, const char *text)
{
	long long ms;

	if (number_ms(text, &ms) != 0)
		return -1;
	job->after = ms;
	return 0;
}

static int
take_pid(struct jobs *jobs, const struct job *job, const char *text)
{
	long pid;

	if (number_scan(text, 2, INT_MAX, &pid) != 0)
		return -1;
	if (job->granted)
		kills_know(jobs, job->id, pid);
	return 0;
}

/* The fate of a job at a place, if a status cannot say it: "never WHY", "lost WHY". */
static int
take_fate(struct jobs *jobs, struct lease *lease, const char *text, size_t length)
{
	struct job *job = &lease->job;
	struct sites *sites = &jobs->sites;
	int quiet = jobs->books.terms.quiet;
	int never = length > 6 && strncmp(text, "never ", 6) == 0;

	if (!sites_there(sites) || (!never && (length <= 5 || strncmp(text, "lost ", 5) != 0)))
		return -1;
	if (!job->granted || job->known || job->ended)
		return 0;
	job->never = never;
	job->lost = !never;
	if (never)
		sites_ended(sites, lease->slot, SITE_NEVER, text + 6, quiet);
	else if (!quiet)
		complain("job %ld: lost at %s: %s", job->id, sites->labels[lease->slot - 1],
		    text + 5);
	if (never && sites_left(sites) == 0 && jobs->books.result != STATUS_GONE) {
		complain(REST_NONE);
		stops_now(jobs, STATUS_GONE, "withdrawn");
	}
	return 0;
}

/* The attendant is a shell, whose read(1) wants text: yash's gives up on anything else. */
static void
take(void *context, enum word word, const char *text, size_t length, int clean)
{
	struct heard *heard = context;
	struct job *job = &heard->lease->job;

	if (word == WORD_LINE && clean && utf8_is_text(text, length)) {
		if (job->granted)
			attendant_tell("said %ld %s\n", job->id, text);
	} else if (word == WORD_STATUS && clean && take_status(job, text, length) == 0)
		;
	else if (word == WORD_AFTER && clean && take_after(job, text) == 0)
		;
	else if (word == WORD_FATE && clean && utf8_is_text(text, length) &&
	    take_fate(heard->jobs, heard->lease, text, length) == 0)
		;
	else if (word == WORD_PID && clean && take_pid(heard->jobs, job, text) == 0)
		;
	else if (word == WORD_BEGUN && clean)
		begin(heard->jobs, heard->lease);
	else if ((word == WORD_RETURN || word == WORD_STOP) && clean)
		heard->jobs->early = heard->lease->early = 1;
	else
		heard->jobs->junk = "lease of a job";
}

int
heard_on(struct jobs *jobs, struct lease *lease)
{
	struct heard heard = {jobs, lease};

	return words_read(lease->fd, ":=>~#", take, &heard);
}
