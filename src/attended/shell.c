#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attended.h"

void
stops_say(struct jobs *jobs, const char *reason)
{
	attendant_tell("stop %d %s\n", jobs->books.result, reason);
	jobs->asked = 0;
	jobs->told = 1;
}

void
stops_now(struct jobs *jobs, int result, const char *reason)
{
	int before = jobs->books.result;

	books_stop(&jobs->books, result);
	if (before != jobs->books.result)
		stops_say(jobs, reason);
}

void
stops_no_memory(struct jobs *jobs)
{
	complain("no memory:");
	stops_now(jobs, STATUS_TROUBLE, "trouble");
}

/* The text of an option, which the books use. */
struct kept {
	struct kept *next;
	char text[];
};

static void
ask_for_lease(struct jobs *jobs, const char *text)
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
	ends_ask_again(jobs);
	free(jobs->text);
	jobs->asked = 1;
	jobs->text = *text == '\0' ? NULL : strdup(text);
	if (*text != '\0' && jobs->text == NULL)
		stops_no_memory(jobs);
}

static void
add_want(struct jobs *jobs, const char *text, const char *task)
{
	struct want want = {0};

	if (jobs->books.result != 0)
		return;
	want.job.text = strdup(text);
	want.job.task = task == NULL ? NULL : strdup(task);
	if (want.job.text == NULL || (task != NULL && want.job.task == NULL) ||
	    wants_add(&jobs->wants, &want) != 0)
		stops_no_memory(jobs);
}

/* QUESTION NAME, a tab, and the command. */
static void
want_task(struct jobs *jobs, char *text, int waits)
{
	char *name;
	long question = strtol(text, &name, 10);
	struct table_entry *task;
	int added;

	if (*name++ != ' ' || (text = strchr(name, '\t')) == NULL)
		return;
	*text++ = '\0';
	if ((task = table_add(&jobs->tasks, name, strlen(name), 0)) == NULL)
		stops_no_memory(jobs);
	added = task != NULL && task->count[0]++ == 0;
	if (added && waits)
		jobs->question = question;
	else
		attendant_tell("task %ld %d\n", question, task != NULL && !added);
	if (!added)
		return;
	ends_ask_again(jobs);
	add_want(jobs, text, name);
}

static void
wait_for_all(struct jobs *jobs, enum waits how)
{
	jobs->waits = how;
	jobs->asked = 0; /* asked by a copy of the shell, since killed */
	starts_recall(jobs, RECALL_NEXT);
	ends_ask_again(jobs);
}

static void
start_no_more(struct jobs *jobs, const char *text)
{
	long result;

	if (number_scan(text, 1, 255, &result) != 0)
		result = STATUS_TROUBLE;
	stops_now(jobs, (int)result, "again");
}

static void
keep_option(struct jobs *jobs, const char *text)
{
	struct kept *kept = malloc(sizeof *kept + strlen(text) + 1);

	if (kept == NULL) {
		stops_no_memory(jobs);
		return;
	}
	strcpy(kept->text, text);
	kept->next = jobs->options;
	jobs->options = kept;
	if (books_option(&jobs->books, kept->text) != 0)
		stops_now(jobs, STATUS_TROUBLE, "trouble");
	jobs->plain = jobs->plain && plain_batch(jobs);
}

/* "i ID PID", "p ID PID", "l LEASE PID", "s|f ID STATUS [TEXT]": 0, or -1 for anything else. */
static int
take_numbers(struct jobs *jobs, char verb, char *text)
{
	char *blank = strchr(text, ' '), *more = NULL;
	long id = 0, number = -1;

	if (blank == NULL)
		return -1;
	*blank++ = '\0';
	if ((verb == 's' || verb == 'f') && (more = strchr(blank, ' ')) != NULL)
		*more++ = '\0';
	if (verb == 's' && (strcmp(blank, "-1") == 0 || strcmp(blank, "-2") == 0))
		number = -(blank[1] - '0');
	else if (number_scan(blank, verb == 's' ? 0 : verb == 'f' ? 1 : 2, INT_MAX, &number) != 0)
		return -1;
	if (verb != 'l' && number_scan(text, 0, LONG_MAX, &id) != 0)
		return -1;
	if (verb == 'l' || verb == 'p')
		kills_know(jobs, id, verb == 'l' ? text : NULL, number);
	else if (verb == 'i')
		again_told(jobs, id, (pid_t)number);
	else if (verb == 'f')
		plain_failed(jobs, id, number, more);
	else
		ends_know(jobs, id, number, more);
	return 0;
}

static void
take_call(void *context, char *line)
{
	struct jobs *jobs = context;
	char *text = line[0] != '\0' && line[1] == ' ' ? line + 2 : "";

	switch (line[0]) {
	case 'n': ask_for_lease(jobs, text); break;
	case 'c': add_want(jobs, text, NULL); break;
	case 'T': case 't': want_task(jobs, text, line[0] == 'T'); break;
	case 'w':
		wait_for_all(jobs, WAITS_ALL);
		jobs->copied = *text != '\0';
		break;
	case 'q': wait_for_all(jobs, WAITS_CLOSE); break;
	case 'k':
		if (*text != '\0')
			snprintf(jobs->ender.grace, sizeof jobs->ender.grace, "%s", text);
		stops_now(jobs, STATUS_GONE, "asked");
		kills_begin(jobs, 1);
		break;
	case 'a': attendant_heard(); break;
	case 'y': /* a trap has ended its read within a line; it skips all lines up to this one */
		starts_recall(jobs, RECALL_UNHEARD);
		attendant_say("sync %s\n", text);
		books_count(&jobs->books);
		attendant_again();
		break;
	case 'r': books_read(&jobs->books, strtol(text, NULL, 10)); break;
	case 'h': attendant_tell("stop %d again\n", jobs->books.result); break;
	case 'o': keep_option(jobs, text); break;
	case 'e': start_no_more(jobs, text); break;
	case 'x':
		start_no_more(jobs, text);
		starts_recall(jobs, RECALL_ALL);
		break;
	case 'g': plain_waited(jobs); break;
	case 'j': plain_speaks(jobs, strtol(text, NULL, 10)); break;
	case 'f': case 'i': case 'l': case 'p': case 's':
		if (take_numbers(jobs, line[0], text) == 0)
			break; /* FALLTHROUGH */
	default: jobs->junk = "calls";
	}
}

void
shell_hear(struct jobs *jobs)
{
	if (calls_read(&jobs->calls, take_call, jobs) == 0)
		return;
	complain("%s.d/calls:", jobs->path);
	stops_now(jobs, STATUS_TROUBLE, "trouble");
}

static void
say_all(struct jobs *jobs)
{
	struct books *b = &jobs->books;
	char first[24] = "";
	long unknown = 0;
	int result;

	if (jobs->waits == WAITS_CLOSE)
		books_close(b);
	if (jobs->waits == WAITS_ALL && jobs->copied && (unknown = plain_unknown(jobs)) > 0)
		complain("a subshell waits, and cannot tell how jobs of the script itself ended: "
		    "%ld; call jobctl_wait in the script", unknown);
	result = books_result(b);
	if ((jobs->unknown != NULL || unknown > 0) && result == 0)
		result = 1; /* a copy waits, and cannot know that they succeeded */
	if (b->first_failed >= 0)
		snprintf(first, sizeof first, " %ld", b->first_failed);
	attendant_tell("all %d %ld %ld %ld%s\n", result, b->started,
	    b->succeeded + b->failed + b->skipped - unknown, b->failed, first);
	jobs->closed = jobs->waits == WAITS_CLOSE;
	jobs->waits = WAITS_NOT;
}

void
shell_serve(struct jobs *jobs)
{
	struct want want;

	if (jobs->home != 0 && clock_wait_ms(jobs->home) == 0)
		kills_give_up(jobs);
	/* No more jobs: those that still wait for a lease have failed, if they were tried. */
	while (jobs->books.result != 0 && wants_take(&jobs->wants, &want, 1)) {
		if (want.job.again)
			books_enter(&jobs->books, &want.job, NULL);
		again_end(jobs, &want.job);
	}
	if (jobs->books.result != 0 && (jobs->asked || !(jobs->books.asks || jobs->told)))
		stops_say(jobs, "again");
	if (jobs->question != 0 && jobs->wants.first == NULL) {
		attendant_tell("task %ld 0\n", jobs->question);
		jobs->question = 0;
	}
	if (jobs->waits == WAITS_NOT || jobs->books.running > 0 ||
	    wants_wait_ms(&jobs->wants) >= 0 || ends_asked(jobs))
		return;
	if (jobs->waits == WAITS_CLOSE)
		lines_all();
	if (!lines_due())
		say_all(jobs);
}

void
shell_close(struct jobs *jobs)
{
	struct lease *lease = jobs->leases.list, *end = lease + jobs->leases.total;
	struct want want;

	while (wants_take(&jobs->wants, &want, 1))
		again_end(jobs, &want.job);
	ends_close(jobs);
	for (; lease < end; lease++) {
		again_end(jobs, &lease->job);
		lease->job = (struct job){0};
	}
	free(jobs->text);
	jobs->text = NULL;
	table_close(&jobs->tasks);
}
