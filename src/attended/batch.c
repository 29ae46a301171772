#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/number.h"
#include "../lib/room.h"
#include "../lib/status.h"
#include "attendant.h"
#include "batch.h"
#include "heard.h"
#include "jobs.h"
#include "starts.h"

enum {
	HOME = 1000,    /* ms for the leases of the killed to be seen closed */
	ELSEWHERE = -2, /* a copy of the shell answers: it cannot know */
	UNKNOWN = 137   /* the status of a job of which nobody can tell: it was killed */
};

/* A job whose end its shell has not told: the one that started it is asked. */
struct unknown {
	struct unknown *next;
	int elsewhere;  /* a copy of that shell has heard the question, and cannot answer */
	struct job job;
	char lease[LEASE_NAME];
	long slot;
};

/* An option of the books, whose text they use. */
struct kept {
	struct kept *next;
	char text[];
};

static void
no_memory(struct jobs *jobs)
{
	complain("no memory:");
	jobs_stop(jobs, STATUS_TROUBLE, "trouble");
}

/* No more jobs: what still waits for a lease has failed, if it was tried. */
static void
drop_wants(struct jobs *jobs)
{
	struct want want;

	while (wants_take(&jobs->wants, &want, 1)) {
		if (want.tries > 0)
			books_give_up(&jobs->books, want.id);
		free(want.text);
		free(want.task);
	}
}

/* This answers a shell that has asked for a lease, too. */
static void
say_stop(struct jobs *jobs, const char *reason)
{
	attendant_tell("stop %d %s\n", jobs->books.result, reason);
	jobs->asked = 0;
	jobs->told = 1;
}

void
jobs_stop(struct jobs *jobs, int result, const char *reason)
{
	int before = jobs->books.result;

	books_stop(&jobs->books, result);
	if (before != jobs->books.result)
		say_stop(jobs, reason);
}

static void
try_again(struct jobs *jobs, struct job *job)
{
	struct want want = {.id = job->id, .tries = job->tries, .text = job->text,
	    .task = job->task};
	long long pause = retry_wait_ms(&jobs->books.retry, job->tries);

	want.due = pause == 0 ? 0 : clock_now() + pause;
	if (wants_add(&jobs->wants, &want) == 0)
		return;
	books_give_up(&jobs->books, job->id);
	no_memory(jobs);
}

static void
finish(struct jobs *jobs, struct job *job, const char *lease, long slot)
{
	job->ended |= jobs->killing;
	if (books_ended(&jobs->books, job, lease, slot)) {
		try_again(jobs, job);
	} else {
		free(job->text);
		free(job->task);
	}
	if (!jobs->books.stopping)
		return;
	jobs->books.stopping = 0;
	batch_kill(jobs, 1);
}

/* The shell is asked: 0, or -1 when it cannot be. */
static int
ask_how(struct jobs *jobs, struct job *job, struct lease *lease)
{
	struct unknown *unknown = malloc(sizeof *unknown);

	if (unknown == NULL) {
		job->status = UNKNOWN;
		no_memory(jobs);
		return -1;
	}
	unknown->job = *job;
	unknown->elsewhere = 0;
	memcpy(unknown->lease, lease->name, sizeof unknown->lease);
	unknown->slot = lease->slot;
	unknown->next = jobs->unknown;
	jobs->unknown = unknown;
	lease->asked = 1;
	attendant_tell("who %ld %s\n", job->id, lease->name);
	return 0;
}

/* A shell that is no library of ours, and so has not said who it is, answers nothing. */
void
batch_ended(struct jobs *jobs, struct job *job, struct lease *lease)
{
	jobs->books.running--;
	if (job->known || jobs->books.who == NULL || ask_how(jobs, job, lease) != 0)
		finish(jobs, job, lease->name, lease->slot);
}

/* The slot has another lease meanwhile: what the job has written is in files of its own, and the
   shell that knows its end keeps that under its name. 0, or -1 when this cannot be. */
static int
set_apart(struct jobs *jobs, struct unknown *unknown)
{
	size_t i = leases_named(&jobs->leases, unknown->lease);

	if (!outputs_room(&jobs->books.outputs) || (i < jobs->leases.count &&
	    jobs->leases.list[i].asked && leases_retire(&jobs->leases, i) != 0))
		return -1; /* the copy could not go on */
	unknown->elsewhere = 1;
	return 0;
}

/* The end of its job is known now, or the lease was another one's since. */
static void
set_free(struct jobs *jobs, const char *name)
{
	size_t i = leases_named(&jobs->leases, name);

	if (i == jobs->leases.total || !jobs->leases.list[i].asked)
		return;
	jobs->leases.list[i].asked = 0;
	if (i >= jobs->leases.count)
		leases_drop(&jobs->leases, i);
}

int
batch_asks(const struct jobs *jobs)
{
	const struct unknown *unknown = jobs->unknown;

	while (unknown != NULL && unknown->elsewhere)
		unknown = unknown->next;
	return unknown != NULL;
}

/* A copy of the shell had the question, and could not answer. */
static void
ask_again(struct jobs *jobs)
{
	for (struct unknown *unknown = jobs->unknown; unknown != NULL; unknown = unknown->next) {
		if (unknown->elsewhere)
			attendant_tell("who %ld %s\n", unknown->job.id, unknown->lease);
		unknown->elsewhere = 0;
	}
}

/* The answer to "who": calls.h. */
static void
know(struct jobs *jobs, long id, long status)
{
	struct unknown **at = &jobs->unknown, *unknown;

	while (*at != NULL && (*at)->job.id != id)
		at = &(*at)->next;
	if ((unknown = *at) == NULL)
		return;
	if (status == ELSEWHERE && set_apart(jobs, unknown) == 0)
		return;
	*at = unknown->next;
	unknown->job.known = 1;
	unknown->job.status = status < 0 ? UNKNOWN : heard_status(status);
	finish(jobs, &unknown->job, unknown->lease, unknown->slot);
	set_free(jobs, unknown->lease);
	free(unknown);
}

/* A job may be to be ended before its pid is told. */
static void
set_pid(struct jobs *jobs, struct job *job, long pid)
{
	job->pid = (pid_t)pid;
	if (jobs->killing || job->late)
		batch_kill(jobs, jobs->killing);
}

static void
remember_pid(struct jobs *jobs, pid_t pid)
{
	pid_t *more = room_for(jobs->pids, &jobs->pid_room, jobs->pid_count + 1, sizeof *more);

	if (more == NULL) {
		no_memory(jobs);
		return;
	}
	jobs->pids = more;
	jobs->pids[jobs->pid_count++] = pid;
}

static void
know_pid(struct jobs *jobs, long id, long pid)
{
	if (jobs->recover)
		remember_pid(jobs, (pid_t)pid);
	for (size_t i = 0; i < jobs->leases.total; i++) {
		struct job *job = &jobs->leases.list[i].job;

		if (job->granted && job->id == id)
			set_pid(jobs, job, pid);
	}
}

void
batch_kill(struct jobs *jobs, int all)
{
	pid_t *pids = malloc((jobs->leases.total + jobs->pid_count + 1) * sizeof *pids);
	size_t count = 0;

	jobs->killing |= all;
	for (; pids != NULL && jobs->pid_count > 0; jobs->pid_count--)
		pids[count++] = jobs->pids[jobs->pid_count - 1];
	for (size_t i = 0; pids != NULL && i < jobs->leases.total; i++) {
		struct job *job = &jobs->leases.list[i].job;

		if (!job->granted || job->pid == 0 || job->ended || (!all && !job->late))
			continue;
		job->ended = 1;
		pids[count++] = job->pid;
	}
	if (count > 0)
		jobs->home = 0;
	if (pids == NULL || (count > 0 && ender_begin(&jobs->ender, pids, count) != 0))
		complain("the jobs cannot be ended: tokstop:");
	free(pids);
	if (all && !ender_busy(&jobs->ender))
		batch_killed(jobs);
}

void
batch_killed(struct jobs *jobs)
{
	if (!ender_busy(&jobs->ender))
		jobs->home = clock_now() + HOME;
}

static void
ask(struct jobs *jobs, const char *text)
{
	if (!jobs->books.asks) {
		jobs->junk = "calls";
		return;
	}
	if (*text != '\0' && jobs->books.result == 0 && books_skip(&jobs->books, text) &&
	    jobs->books.result == 0) {
		attendant_tell("skip %ld\n", jobs->books.next - 1);
		return;
	}
	ask_again(jobs);
	free(jobs->text);
	jobs->asked = 1;
	jobs->text = *text == '\0' ? NULL : strdup(text);
	if (*text != '\0' && jobs->text == NULL)
		no_memory(jobs);
}

static void
want(struct jobs *jobs, const char *text, const char *task)
{
	struct want want = {.id = -1};

	if (jobs->books.result != 0)
		return;
	want.text = strdup(text);
	want.task = task == NULL ? NULL : strdup(task);
	if (want.text == NULL || (task != NULL && want.task == NULL) ||
	    wants_add(&jobs->wants, &want) != 0)
		no_memory(jobs);
}

/* QUESTION NAME, a tab, and the command. */
static void
want_task(struct jobs *jobs, char *text, int waits)
{
	char *name;
	long question = strtol(text, &name, 10);
	int added;

	if (*name++ != ' ' || (text = strchr(name, '\t')) == NULL)
		return;
	*text++ = '\0';
	if ((added = tasks_add(&jobs->tasks, name)) < 0)
		no_memory(jobs);
	if (added > 0 && waits)
		jobs->question = question;
	else
		attendant_tell("task %ld %d\n", question, !added);
	if (added <= 0)
		return;
	ask_again(jobs);
	books_trace(&jobs->books, name, "added");
	want(jobs, text, name);
}

static void
wait_for_all(struct jobs *jobs, enum waits how)
{
	jobs->waits = how;
	starts_recall(jobs, RECALL_PUSHED);
	ask_again(jobs);
}

/* A trap has ended the shell's read within a line: it has read on to this one. */
static void
say_again(struct jobs *jobs, const char *number)
{
	starts_recall(jobs, RECALL_UNHEARD);
	attendant_say("sync %s\n", number);
	attendant_again();
}

static void
start_no_more(struct jobs *jobs, const char *text)
{
	long result;

	if (number_scan(text, 1, 255, &result) != 0)
		result = STATUS_TROUBLE;
	jobs_stop(jobs, (int)result, "again");
}

static void
kill_all(struct jobs *jobs, const char *grace)
{
	if (*grace != '\0')
		snprintf(jobs->ender.grace, sizeof jobs->ender.grace, "%s", grace);
	jobs_stop(jobs, STATUS_GONE, "asked");
	batch_kill(jobs, 1);
}

static void
option(struct jobs *jobs, const char *text)
{
	struct kept *kept = malloc(sizeof *kept + strlen(text) + 1);

	if (kept == NULL) {
		no_memory(jobs);
		return;
	}
	strcpy(kept->text, text);
	kept->next = jobs->options;
	jobs->options = kept;
	if (books_option(&jobs->books, kept->text) != 0)
		jobs_stop(jobs, STATUS_TROUBLE, "trouble");
}

/* Of a shell that does not know which job that is, and perhaps of an earlier one. */
static void
know_pid_on(struct jobs *jobs, const char *name, long pid)
{
	if (jobs->recover)
		remember_pid(jobs, (pid_t)pid);
	for (size_t i = 0; i < jobs->leases.total; i++) {
		struct lease *lease = jobs->leases.list + i;

		if (lease->job.granted && lease->job.pid == 0 && strcmp(lease->name, name) == 0)
			set_pid(jobs, &lease->job, pid);
	}
}

/* "p ID PID", "l LEASE PID", "s ID STATUS": 0, or -1 for anything else. */
static int
take_numbers(struct jobs *jobs, char verb, char *text)
{
	char *blank = strchr(text, ' ');
	long id = 0, number = -1;

	if (blank == NULL)
		return -1;
	*blank++ = '\0';
	if (verb == 's' && (strcmp(blank, "-1") == 0 || strcmp(blank, "-2") == 0))
		number = -(blank[1] - '0');
	else if (number_scan(blank, verb == 's' ? 0 : 2, INT_MAX, &number) != 0)
		return -1;
	if (verb != 'l' && number_scan(text, 0, LONG_MAX, &id) != 0)
		return -1;
	if (verb == 'l')
		know_pid_on(jobs, text, number);
	else if (verb == 'p')
		know_pid(jobs, id, number);
	else
		know(jobs, id, number);
	return 0;
}

static void
take_call(void *context, char *line)
{
	struct jobs *jobs = context;
	char *text = line[0] != '\0' && line[1] == ' ' ? line + 2 : "";

	switch (line[0]) {
	case 'n': ask(jobs, text); break;
	case 'c': want(jobs, text, NULL); break;
	case 'T': want_task(jobs, text, 1); break;
	case 't': want_task(jobs, text, 0); break;
	case 'w': wait_for_all(jobs, WAITS_ALL); break;
	case 'q': wait_for_all(jobs, WAITS_CLOSE); break;
	case 'k': kill_all(jobs, text); break;
	case 'a': attendant_heard(); break;
	case 'y': say_again(jobs, text); break;
	case 'h': attendant_tell("stop %d again\n", jobs->books.result); break;
	case 'o': option(jobs, text); break;
	case 'e': start_no_more(jobs, text); break;
	case 'x':
		start_no_more(jobs, text);
		starts_recall(jobs, RECALL_ALL);
		break;
	case 'l':
	case 'p':
	case 's':
		if (take_numbers(jobs, line[0], text) == 0)
			break; /* FALLTHROUGH */
	default: jobs->junk = "calls";
	}
}

void
batch_hear(struct jobs *jobs)
{
	if (calls_read(&jobs->calls, take_call, jobs) == 0)
		return;
	complain("%s.d/calls:", jobs->path);
	jobs_stop(jobs, STATUS_TROUBLE, "trouble");
}

/* Who left the family of a job that we have ended lives on with the lease, and is not waited for.
   What the shell may still open is ended then, when its pid is told. */
static void
give_up_leases(struct jobs *jobs)
{
	jobs->home = 0;
	jobs->left = 1;
	for (size_t i = 0; i < jobs->leases.total; i++) {
		struct lease *lease = jobs->leases.list + i;
		struct job job = lease->job;

		if (!job.granted || !(job.ended || jobs->killing) ||
		    (job.pushed && !starts_used(jobs, lease)))
			continue;
		lease->job = (struct job){0};
		job.ms = clock_now() - lease->since;
		batch_ended(jobs, &job, lease);
	}
}

/* Whether all jobs have ended. */
static int
all_ended(const struct jobs *jobs)
{
	if (jobs->recover)
		return jobs->left || leases_held(&jobs->leases) == 0;
	return jobs->books.running == 0 && wants_wait_ms(&jobs->wants) < 0 &&
	    !batch_asks(jobs);
}

static void
say_all(struct jobs *jobs)
{
	struct books *b = &jobs->books;
	char first[24] = "";
	int result;

	if (jobs->waits == WAITS_CLOSE && !jobs->recover)
		books_close(b);
	result = books_result(b);
	if (jobs->unknown != NULL && result == 0)
		result = 1; /* a copy waits, which cannot know that they have succeeded */
	if (jobs->recover) {
		attendant_tell("all %d\n", result);
	} else {
		if (b->first_failed >= 0)
			snprintf(first, sizeof first, " %ld", b->first_failed);
		attendant_tell("all %d %ld %ld %ld%s\n", result, b->started,
		    b->succeeded + b->failed + b->skipped, b->failed, first);
	}
	jobs->closed = jobs->waits == WAITS_CLOSE;
	jobs->waits = WAITS_NOT;
}

void
batch_serve(struct jobs *jobs)
{
	if (jobs->home != 0 && clock_wait_ms(jobs->home) == 0)
		give_up_leases(jobs);
	if (jobs->books.result != 0)
		drop_wants(jobs);
	if (jobs->books.result != 0 && (jobs->asked || !(jobs->books.asks || jobs->told)))
		say_stop(jobs, "again");
	if (jobs->question != 0 && jobs->wants.first == NULL) {
		attendant_tell("task %ld 0\n", jobs->question);
		jobs->question = 0;
	}
	if (jobs->waits == WAITS_NOT || !all_ended(jobs))
		return;
	if (jobs->waits == WAITS_CLOSE)
		outputs_finish(&jobs->books.outputs);
	if (!outputs_waits(&jobs->books.outputs))
		say_all(jobs);
}

void
batch_close(struct jobs *jobs)
{
	struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.total;
	struct unknown *unknown;
	struct want want;

	while (wants_take(&jobs->wants, &want, 1)) {
		free(want.text);
		free(want.task);
	}
	while ((unknown = jobs->unknown) != NULL) {
		jobs->unknown = unknown->next;
		free(unknown->job.text);
		free(unknown->job.task);
		free(unknown);
	}
	for (; lease < end; lease++) {
		free(lease->job.text);
		free(lease->job.task);
		lease->job = (struct job){0};
	}
	free(jobs->text);
	jobs->text = NULL;
	tasks_close(&jobs->tasks);
}
