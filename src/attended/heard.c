#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "attended.h"

int
heard_status(long status)
{
	return (int)(status > 256 ? (status & 127) | 128 : status);
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

struct heard {
	struct jobs *jobs;
	struct lease *lease;
};

/* Returns 0 for junk. The attendant is a shell, whose read(1) wants text: yash's gives up on
   anything else. */
static int
obey_word(struct jobs *jobs, struct lease *lease, enum word word, const char *text, size_t length)
{
	struct job *job = &lease->job;
	long pid;

	switch (word) {
	case WORD_LINE:
		if (!utf8_is_text(text, length))
			return 0;
		if (job->granted)
			attendant_tell("said %ld %s\n", job->id, text);
		return 1;
	case WORD_STATUS: return take_status(job, text, length) == 0;
	case WORD_AFTER: return number_ms(text, &job->after) == 0; /* only the last one counts */
	case WORD_FATE:
		return utf8_is_text(text, length) && take_fate(jobs, lease, text, length) == 0;
	case WORD_PID:
		if (number_scan(text, 2, INT_MAX, &pid) != 0)
			return 0;
		if (job->granted)
			kills_know(jobs, job->id, NULL, pid);
		return 1;
	case WORD_BEGUN:
		lease->since = clock_now();
		clock_gettime(CLOCK_REALTIME, &lease->start);
		lease->running = 1;
		if (lease < jobs->leases.list + jobs->leases.count) /* its token is not back */
			pace_begin(jobs->pace, &lease->turn);
		return 1;
	case WORD_RETURN: case WORD_STOP:
		lease->early = 1;
		return 1;
	default: return 0;
	}
}

static void
hear_word(void *context, enum word word, const char *text, size_t length, int clean)
{
	const struct heard *heard = context;

	if (!clean || !obey_word(heard->jobs, heard->lease, word, text, length))
		heard->jobs->junk = "lease of a job";
}

int
heard_on(struct jobs *jobs, struct lease *lease)
{
	struct heard heard = {jobs, lease};

	return words_read(lease->fd, ":=>~#", hear_word, &heard);
}
