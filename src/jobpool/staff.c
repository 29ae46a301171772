#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobpool.h"

enum {
	BARREN = 10,         /* workers in a row that were of no use, or most * tries if more */
	SOON = 10000,        /* ms: who ends later has not died at its start */
	AGAIN = 1000,        /* ms until what the system refused is tried again */
	WHY_ROOM = 120
};

int
staff_open(struct staff *s, const struct staffing *options, const sigset_t *mask)
{
	*s = (struct staff){.options = options, .answers = {.attended = options->attended,
	    .tagged = options->tagged, .order = options->order}};
	if (workers_open(&s->workers, options->most, options->command, options->directory,
	    mask) != 0)
		return -1;
	s->workers.grace = options->grace;
	return 0;
}

static void
settle_request(struct staff *s, struct request *request)
{
	s->pending--;
	s->bytes -= request->length;
}

/* No worker will answer the request. */
static void
fail_request(struct staff *s, struct request *request, const char *why)
{
	settle_request(s, request);
	s->failed++;
	if (!s->options->quiet && !s->options->attended && s->over == 0)
		complain("request %ld has no answer: %s", request->number, why);
	answers_fail(&s->answers, request, why);
}

static void
give_up(struct staff *s, int status)
{
	struct request *request;

	if (s->over != 0)
		return;
	s->over = status;
	staff_dismiss(s, 1);
	while ((request = queue_take(&s->waiting)) != NULL)
		fail_request(s, request, "there are no workers");
}

void
staff_ask(struct staff *s, const char *line, size_t length)
{
	struct request *request = request_make(&s->answers, ++s->asked, line, length);

	s->pending++;
	s->bytes += request->length;
	if (s->over == 0)
		queue_put(&s->waiting, request);
	else
		fail_request(s, request, "there are no workers");
}

/* Its requests are given to others. It was working on the first: only that one is charged a try. */
static void
lose_requests(struct staff *s, struct worker *worker, const char *why)
{
	struct request *first = worker->queue.first;
	char text[WHY_ROOM];

	if (first == NULL)
		return;
	snprintf(text, sizeof text, "the worker %s", why);
	if (++first->tries >= s->options->tries)
		fail_request(s, queue_take(&worker->queue), text);
	while (s->over != 0 && (first = queue_take(&worker->queue)) != NULL)
		fail_request(s, first, text);
	queue_return(&s->waiting, &worker->queue);
}

/* Ends a worker that did something wrong, or did nothing. */
static void
fire_worker(struct staff *s, struct worker *worker, const char *why)
{
	if (!s->options->quiet)
		complain("worker %ld %s", worker->number, why);
	worker->told = worker->fired = 1;
	worker_end(&s->workers, worker);
	lose_requests(s, worker, why);
}

static void
hear_event(struct staff *s, struct worker *worker, const char *text, size_t length)
{
	char prefix[WHY_ROOM];

	if (length == 6 && memcmp(text, "retire", 6) == 0) {
		worker->fired = worker->state == WORKER_BEGINS; /* its first answer is of no use */
		if (worker->state != WORKER_LEAVES)
			worker->state = WORKER_RETIRES;
	} else if (s->options->attended) {
		snprintf(prefix, sizeof prefix, "said %ld ", worker->number);
		answers_put(&s->answers.out, prefix, text, length);
	} else {
		complain("worker %ld: %.*s", worker->number, length < 900 ? (int)length : 900,
		    text);
	}
}

static void
hear_line(struct staff *s, struct worker *worker, char *line, size_t length)
{
	size_t prefix = s->options->prefix == NULL ? 0 : strlen(s->options->prefix);
	struct request *request;

	if (prefix > 0 && length >= prefix && memcmp(line, s->options->prefix, prefix) == 0) {
		hear_event(s, worker, line + prefix, length - prefix);
		return;
	}
	if (!worker->ready) { /* though it may be leaving */
		if (worker->state == WORKER_BEGINS)
			worker->state = WORKER_READY;
		worker->ready = 1;
		worker->since = clock_now();
		return;
	}
	if ((request = queue_take(&worker->queue)) == NULL) {
		s->surplus++;
		if (!worker->told)
			fire_worker(s, worker, "wrote a line that answers no request");
		else if (!s->options->quiet)
			complain("worker %ld wrote a line that answers no request", worker->number);
		return;
	}
	settle_request(s, request);
	s->barren = 0;
	worker->answers++;
	worker->since = clock_now();
	answers_give(&s->answers, request, line, length);
}

void
staff_hear(struct staff *s, struct worker *worker)
{
	size_t length;
	char *line;

	if (feed_fill(&worker->out) != 0) {
		worker->out.ended = 1;
		if (!worker->fired)
			fire_worker(s, worker, errno == EFBIG ? "wrote a line without an end"
			    : strerror(errno));
		return;
	}
	while (!worker->out.ended && feed_line(&worker->out, &line, &length) == 1)
		if (!worker->fired)
			hear_line(s, worker, line, length);
	if (worker->state == WORKER_RETIRES && worker->queue.count == 0) {
		if (s->options->verbose)
			complain("worker %ld ended: retired", worker->number);
		worker->told = 1;
		worker_leave(&s->workers, worker);
	}
	if (worker->out.ended)
		worker_silent(&s->workers, worker);
}

static void
count_barren(struct staff *s, const char *why)
{
	long most = s->options->most * s->options->tries;

	if (++s->barren < (most > BARREN ? most : BARREN) || s->over != 0)
		return;
	complain("%ld workers in a row gave no answer, the last one %s; no more are started",
	    s->barren, why);
	give_up(s, STATUS_TROUBLE);
}

/* Half a line that it has left is no answer. */
static void
see_off(struct staff *s, struct worker *worker)
{
	const char *half = outbox_waits(&worker->out.in) > 0 ? " within a line" : "";
	int useless = worker->answers == 0 && !s->dismissed &&
	    (!worker->ready || worker->fired || clock_now() - worker->began < SOON);
	char why[WHY_ROOM];

	if (worker->status == -1)
		snprintf(why, sizeof why, "ended%s", half);
	else
		snprintf(why, sizeof why, WIFSIGNALED(worker->status) ? "was killed by signal %d%s"
		    : "ended with %d%s", WIFSIGNALED(worker->status) ? WTERMSIG(worker->status)
		    : WEXITSTATUS(worker->status), half);
	if (!worker->told && !s->options->quiet)
		complain("worker %ld %s", worker->number, why);
	lose_requests(s, worker, why);
	worker_vacate(&s->workers, worker);
	if (useless)
		count_barren(s, why);
}

/* Reads what a worker wrote before it ended, but does not wait: another process may have its
   output open. */
void
staff_reap(struct staff *s)
{
	struct worker *worker;

	while ((worker = workers_reap(&s->workers)) != NULL) {
		while (!worker->out.ended && descriptors_poll(worker->out.fd, POLLIN, 0) != 0)
			staff_hear(s, worker);
		see_off(s, worker);
	}
}

/* The worker with the fewest requests, and of those the first. */
static struct worker *
find_ready(struct staff *s)
{
	struct worker *best = NULL;

	for (struct worker *worker = s->workers.list; worker < s->workers.end; worker++) {
		if (worker->state != WORKER_READY || worker->queue.count >= s->options->load)
			continue;
		if (best == NULL || worker->queue.count < best->queue.count)
			best = worker;
		if (best->queue.count == 0)
			break;
	}
	return best;
}

static void
hand_out(struct staff *s)
{
	struct worker *worker;
	struct request *request;

	while (s->waiting.count > 0 && s->over == 0 && (worker = find_ready(s)) != NULL) {
		request = queue_take(&s->waiting);
		if (worker->queue.count == 0)
			worker->since = clock_now();
		queue_put(&worker->queue, request);
		worker_send(worker, request->text, request->length);
	}
}

/* When the system is short of something, a worker may be started later. */
static void
cannot_start(struct staff *s, int error)
{
	const char *what = s->options->command == NULL ? "the shell that starts workers"
	    : s->options->command[0];

	errno = error;
	if (room_short(error) && s->workers.busy > 0) {
		if (!s->options->quiet && !s->refused)
			complain("cannot start more than %ld workers:", s->workers.busy);
		s->refused = 1;
		s->again = clock_now() + AGAIN;
	} else if (s->over == 0) {
		complain("%s:", what);
		give_up(s, room_short(error) || s->options->command == NULL ? STATUS_TROUBLE
		    : error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
	}
}

static int
start_worker(struct staff *s)
{
	struct worker *worker = s->workers.list;
	int error;

	while (worker->state != WORKER_VACANT)
		worker++;
	if ((error = worker_start(&s->workers, worker)) != 0) {
		cannot_start(s, error);
		return -1;
	}
	if (s->options->verbose)
		complain("worker %ld started", worker->number);
	worker->ready = s->options->begin == NULL;
	if (worker->ready)
		return 0;
	worker->state = WORKER_BEGINS;
	worker_send(worker, s->options->begin, strlen(s->options->begin));
	worker_send(worker, "\n", 1);
	return 0;
}

/* Starts a worker for each request that would have to wait for another one, and those that are to
   have nothing to do. How long until a start that the system refused is tried again, or -1. */
static long long
add_workers(struct staff *s)
{
	long idle = 0;

	for (struct worker *worker = s->workers.list; worker < s->workers.end; worker++)
		idle += worker->queue.count == 0 &&
		    (worker->state == WORKER_READY || worker->state == WORKER_BEGINS);
	for (; !s->dismissed && s->workers.busy < s->options->most &&
	    (s->waiting.count > idle || idle < s->options->idle); idle++) {
		if (s->again > 0 && clock_wait_ms(s->again) > 0)
			return clock_wait_ms(s->again);
		s->again = 0;
		if (start_worker(s) != 0)
			return s->over != 0 ? 0 : AGAIN;
	}
	return -1;
}

/* The time limit is for the request that the worker works on. */
static long long
look_at(struct staff *s, struct worker *worker)
{
	long long wait = worker_wait_ms(&s->workers, worker), limit;
	char why[WHY_ROOM];

	if (s->options->limit == 0 || worker->state == WORKER_LEAVES ||
	    (worker->state != WORKER_BEGINS && worker->queue.count == 0))
		return wait;
	if ((limit = clock_wait_ms(worker->since + s->options->limit)) > 0)
		return clock_sooner(wait, limit);
	snprintf(why, sizeof why, "gave no answer in %lld.%03lld seconds", s->options->limit / 1000,
	    s->options->limit % 1000);
	fire_worker(s, worker, why);
	return 0;
}

long long
staff_wait_ms(struct staff *s)
{
	long long wait = add_workers(s);

	hand_out(s);
	for (struct worker *worker = s->workers.list; worker < s->workers.end; worker++)
		if (worker->state != WORKER_VACANT) /* its new request has a limit */
			wait = clock_sooner(wait, look_at(s, worker));
	return wait;
}

void
staff_dismiss(struct staff *s, int now)
{
	s->dismissed = 1;
	for (struct worker *worker = s->workers.list; worker < s->workers.end; worker++) {
		if (worker->state == WORKER_VACANT ||
		    (worker->state == WORKER_LEAVES && (!now || worker->fired)))
			continue;
		worker->told = 1;
		worker->fired = now;
		if (now)
			worker_end(&s->workers, worker);
		else
			worker_leave(&s->workers, worker);
	}
}
