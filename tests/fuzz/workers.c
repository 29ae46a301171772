/*
 * jobpool, from the lines of its workers, of the shell that starts them and of its asker, to
 * the answers. This is the shell of a nursery (workers.c), and so there are no processes. The
 * first three bytes are options, see set_options(); the rest is a script of lines:
 *
 *	>TEXT	the line goes into the input; }TEXT without its newline; c the input ends
 *	rTEXT	it is asked as a request
 *	oN	the last worker that was to be started at place N opens its FIFOs, and says so
 *	wNTEXT	it writes the line; vNTEXT without its newline; lN much without one
 *	aN	it answers the next of the requests that it has read, as it should
 *	iN	it closes its input; jN its output; kN it ends, mN without that the shell says so
 *	sTEXT	the shell says the line; tTEXT without its newline
 *	h	nobody reads the answers, or somebody does again
 *	+N	10^N ms later; anything else lets jobpool go on
 *
 * In TEXT, \1 stands for NUL. Each request is answered or has failed, once; its answer is a
 * line of a worker that was asked it, and is used once; with -k in the order of the
 * requests. At the end the workers behave in one of four ways, and jobpool comes to an end.
 */
#include "../../src/jobpool/dispatch.c"

#include <sys/stat.h>
#include <fcntl.h>
#include <stdlib.h>

#include "../../src/lib/lib.h"
#include "ground.h"
#include "lines.h"

enum { ROUNDS = 3000, LONG = 30000, LIMIT = 1000, GRACE = 1000 };

enum ending { ECHOES, DIES, CLOSES, SILENT }; /* the workers' last act */

struct worked {
	long place;
	int in, out;         /* -1: not yet, or no more */
	int opened, over;
	struct lines asked;  /* it has read these; begin, if that is a request, is among them */
	struct lines said;
	size_t answers;      /* lines of said that are no events */
};

struct world {
	struct dispatch d;
	struct staffing options;
	enum ending ending;
	int prompt;          /* the shell obeys at once */
	int input, output, orders; /* our ends */
	int listening, ended;
	struct lines requests, answers, told;
	size_t seen;         /* answers that were looked at */
	char *state;         /* of each request: 0, or '+' or '-' */
	size_t room;
	long succeeded, failed;
	struct worked *list; /* by serial */
	size_t count;
};

static struct world w;

static void
set_options(const unsigned char *data)
{
	struct staffing *options = &w.options;

	options->directory = "nursery";
	options->attended = data[0] & 1;
	options->order = (data[0] & 2) != 0;
	options->tagged = (data[0] & 4) != 0;
	options->prefix = data[0] & 16 ? "#" : NULL;
	options->begin = data[0] & 32 ? "hello" : NULL;
	options->limit = data[0] & 64 ? LIMIT : 0;
	options->verbose = (data[0] & 128) != 0;
	options->most = data[1] % 4 + 1;
	options->load = data[1] / 4 % 4 + 1;
	options->tries = data[1] / 16 % 4 + 1;
	options->idle = data[1] / 64 % 2;

	options->grace = GRACE;
	w.ending = data[2] % 4;
	w.prompt = (data[2] & 4) != 0;
	if (w.ending == SILENT && options->limit == 0) /* it would wait for ever, as the manual says */
		w.ending = CLOSES;
}

/* A pipe whose other end has that number; ours does not block. */
static int
open_pipe_at(int number, int ours)
{
	int ends[2];

	if (pipe(ends) != 0 || fcntl(ends[ours], F_SETFL, O_NONBLOCK) != 0 || ends[ours] == number)
		wrong("no pipe");
	if (ends[!ours] != number && (dup2(ends[!ours], number) < 0 || close(ends[!ours]) != 0))
		wrong("no pipe");
	return ends[ours];
}

/* How much of the text was written. */
static size_t
put(int fd, const char *text, size_t length)
{
	ssize_t n = fd < 0 ? -1 : write(fd, text, length);

	return n < 0 ? 0 : (size_t)n;
}

static void
put_input(const char *text, size_t length)
{
	size_t n = put(w.input, text, length);

	lines_take(&w.requests, text, n);
}

/* The line of that request; after "end" no line is one. */
static const struct line *
request(long number)
{
	const struct line *line;
	size_t i;

	for (i = 0; i < w.requests.count; i++) {
		line = w.requests.list + i;
		if (w.options.attended && line->length == 3 && memcmp(line->text, "end", 3) == 0)
			return NULL;
		if ((!w.options.attended || line->text[0] == ':') && --number == 0)
			return line;
	}
	return NULL;
}

static long
count_requests(void)
{
	long n = 0;

	while (request(n + 1) != NULL)
		n++;
	return n;
}

static int
is_event(const struct line *line)
{
	return w.options.prefix != NULL && line->text[0] == w.options.prefix[0];
}

static void
say(struct worked *worker, const char *text, size_t length)
{
	size_t n = put(worker->out, text, length), i = worker->said.count;

	lines_take(&worker->said, text, n);
	for (; i < worker->said.count; i++)
		if (!is_event(worker->said.list + i))
			worker->said.list[i].place = worker->answers++;
}

/* Answers like a worker that behaves, with a line of output for each line of input. 0: there is
   nothing to answer. */
static int
answer_next(struct worked *worker)
{
	const struct line *asked;
	char *text;

	if (worker->out < 0 || worker->answers >= worker->asked.count || worker->said.length > 0)
		return 0;
	asked = worker->asked.list + worker->answers;
	text = malloc(asked->length + 2);
	text[0] = '=';
	memcpy(text + 1, asked->text, asked->length);
	text[asked->length + 1] = '\n';
	say(worker, text, asked->length + 2);
	free(text);
	return worker->said.length == 0;
}

static void
tell_jobpool(const char *text)
{
	int fd = open("nursery/workers", O_WRONLY | O_NONBLOCK);

	put(fd, text, strlen(text));
	ground_shut(&fd);
}

static void
tell_of(const char *format, const struct worked *worker)
{
	char line[64];

	snprintf(line, sizeof line, format, (long)(worker - w.list) + 1);
	tell_jobpool(line);
}

static void
open_worker(struct worked *worker)
{
	char path[64];

	if (worker->opened || worker->over)
		return;
	worker->opened = 1;
	snprintf(path, sizeof path, "nursery/%ld.in", (long)(worker - w.list) + 1);
	worker->in = open(path, O_RDONLY | O_NONBLOCK);
	snprintf(path, sizeof path, "nursery/%ld.out", (long)(worker - w.list) + 1);
	worker->out = open(path, O_WRONLY | O_NONBLOCK);
	tell_of("open %ld\n", worker);
}

static void
end_worker(struct worked *worker, const char *report)
{
	ground_shut(&worker->in);
	ground_shut(&worker->out);
	if (!worker->over && report != NULL)
		tell_of(report, worker);
	worker->over = 1;
}

static void
take_order(char *line)
{
	long serial, place;
	char word[8];

	if (sscanf(line, "%7s %ld %ld", word, &serial, &place) != 3)
		wrong("'%s': no order", line);
	if (strcmp(word, "start") == 0) {
		if (serial != (long)w.count + 1 || place < 1 || place > w.options.most)
			wrong("'%s': no worker", line);
		w.list = realloc(w.list, ++w.count * sizeof *w.list);
		memset(w.list + w.count - 1, 0, sizeof *w.list);
		w.list[w.count - 1].place = place;
		w.list[w.count - 1].in = w.list[w.count - 1].out = -1;
		if (w.prompt)
			open_worker(w.list + w.count - 1);
	} else if (strcmp(word, "kill") != 0 || serial < 1 || serial > (long)w.count) {
		wrong("'%s': no order", line);
	} else if (w.prompt) {
		end_worker(w.list + serial - 1, "ended %ld 143\n");
	}
}

/* Returns 0 at the end. */
static int
take_from(int fd, struct lines *to)
{
	char block[4096];
	ssize_t n;

	while ((n = fd < 0 ? -1 : read(fd, block, sizeof block)) > 0)
		lines_take(to, block, (size_t)n);
	return n != 0;
}

static void
run_shell(void)
{
	size_t done = w.told.count;

	take_from(w.orders, &w.told);
	for (; done < w.told.count; done++)
		take_order(w.told.list[done].text);
}

/* 1 if the worker's line says this of that request. */
static int
is_from(struct worked *worker, const struct line *line, const struct line *asked, const char *text,
    size_t length)
{
	const struct line *read;
	size_t skip = w.options.attended;

	if (line->used || is_event(line) || (w.options.begin != NULL && line->place == 0))
		return 0;
	if (line->length != length || memcmp(line->text, text, length) != 0)
		return 0;
	if (worker->in < 0) /* some of its input is unread */
		return 1;
	if (line->place >= worker->asked.count)
		return 0;
	read = worker->asked.list + line->place;
	return read->length == asked->length - skip &&
	    memcmp(read->text, asked->text + skip, read->length) == 0;
}

static int
find_source(long number, const char *text, size_t length)
{
	const struct line *asked = request(number);
	struct worked *worker;
	size_t i;

	if (asked == NULL)
		wrong("%ld is no request", number);
	for (worker = w.list; worker < w.list + w.count; worker++)
		for (i = 0; i < worker->said.count; i++)
			if (is_from(worker, worker->said.list + i, asked, text, length)) {
				worker->said.list[i].used = 1;
				return 1;
			}
	return 0;
}

static void
check_event(const struct line *line)
{
	struct worked *worker;
	char *text;
	long place = strtol(line->text + 5, &text, 10);
	size_t length = line->length - (size_t)(++text - line->text), i;

	for (worker = w.list; worker < w.list + w.count; worker++)
		for (i = 0; worker->place == place && i < worker->said.count; i++)
			if (!worker->said.list[i].used && is_event(worker->said.list + i) &&
			    worker->said.list[i].length == length + 1 &&
			    memcmp(worker->said.list[i].text + 1, text, length) == 0) {
				worker->said.list[i].used = 1;
				return;
			}
	wrong("'%s': worker %ld has not said that", line->text, place);
}

/* Settles the request, once and in its turn. */
static void
settle_request(long number, char state)
{
	if (number < 1 || request(number) == NULL)
		wrong("%ld is no request", number);
	if ((size_t)number >= w.room) {
		w.state = realloc(w.state, (size_t)number * 2);
		memset(w.state + w.room, 0, (size_t)number * 2 - w.room);
		w.room = (size_t)number * 2;
	}
	if (w.state[number] != 0)
		wrong("request %ld: '%c' behind '%c'", number, state, w.state[number]);
	if (w.options.order && number > 1 && w.state[number - 1] == 0)
		wrong("request %ld, before %ld", number, number - 1);
	w.state[number] = state;
	if (state == '+')
		w.succeeded++;
	else
		w.failed++;
}

static void
check_numbered(const struct line *line)
{
	char *text;
	long number = strtol(line->text, &text, 10);
	size_t length = line->length - (size_t)(text + 1 - line->text);

	if (text == line->text || *text != (w.options.attended ? ' ' : '\t'))
		wrong("'%s': no answer", line->text);
	text++;
	if (find_source(number, text, length))
		settle_request(number, '+');
	else if (!w.options.attended && w.options.order && length == 0)
		settle_request(number, '-');
	else
		wrong("'%s': nobody has said that", line->text);
}

/* Settles an answer without a number, as far as its request can be told. */
static void
check_plain(const struct line *line)
{
	long number = (long)w.seen, most = count_requests();

	if (w.options.order) {
		settle_request(number, find_source(number, line->text, line->length) ? '+' : '-');
		if (w.state[number] == '-' && line->length > 0)
			wrong("'%s': nobody has said that of request %ld", line->text, number);
		return;
	}
	for (number = 1; number <= most; number++)
		if (find_source(number, line->text, line->length))
			break;
	if (number > most)
		wrong("'%s': nobody has said that", line->text);
	w.succeeded++;
}

/* The figures come when all requests until then are settled. */
static void
check_figures(const char *text)
{
	long asked, answered, failed;

	if (sscanf(text, "all %ld %ld %ld", &asked, &answered, &failed) != 3 ||
	    asked > count_requests() || asked != w.succeeded + w.failed ||
	    answered != w.succeeded || failed != w.failed)
		wrong("'%s' after %ld answers and %ld failures", text, w.succeeded, w.failed);
}

static void
check_line(const struct line *line)
{
	if (!w.options.attended) {
		if (w.options.tagged)
			check_numbered(line);
		else
			check_plain(line);
	} else if (w.seen == 1) {
		if (strcmp(line->text, "ready") != 0)
			wrong("'%s' in place of ready", line->text);
	} else if (strncmp(line->text, "failed ", 7) == 0) {
		settle_request(strtol(line->text + 7, NULL, 10), '-');
	} else if (strncmp(line->text, "said ", 5) == 0) {
		check_event(line);
	} else if (strncmp(line->text, "all ", 4) == 0) {
		check_figures(line->text);
	} else {
		check_numbered(line);
	}
}

static void
check_counts(void)
{
	const struct staff *staff = &w.d.staff;
	const struct worker *worker;
	const struct request *one;
	long pending = 0, busy = 0;
	size_t bytes = 0;

	for (one = staff->waiting.first; pending < staff->waiting.count; one = one->next, pending++)
		bytes += one->length;
	for (worker = staff->workers.list; worker < staff->workers.end; worker++) {
		busy += worker->state != WORKER_VACANT;
		pending += worker->queue.count;
		if (worker->queue.count > (worker->state == WORKER_VACANT ? 0 : w.options.load))
			wrong("worker %ld has %ld requests", worker->number, worker->queue.count);
		for (one = worker->queue.first; one != NULL && one != worker->queue.last; one = one->next)
			bytes += one->length;
		bytes += worker->queue.count > 0 ? worker->queue.last->length : 0;
	}
	if (pending != staff->pending || bytes != staff->bytes || busy != staff->workers.busy)
		wrong("%ld wait, %zu bytes, %ld workers, and counted %ld, %zu, %ld", pending, bytes, busy,
		    staff->pending, staff->bytes, staff->workers.busy);
}

static void
hear_answers(void)
{
	take_from(w.output, &w.answers);
	while (w.seen < w.answers.count) {
		w.seen++;
		check_line(w.answers.list + w.seen - 1);
	}
}

/* A turn of the loop in dispatch_run(). */
static void
step(void)
{
	size_t i;

	if (w.ended || (w.ended = finished(&w.d)))
		return;
	staff_wait_ms(&w.d.staff);
	workers_write(&w.d.staff.workers);
	wait_for_news(&w.d, 0);
	run_shell();
	for (i = 0; i < w.count; i++)
		if (!take_from(w.list[i].in, &w.list[i].asked) && w.prompt)
			end_worker(w.list + i, "ended %ld 0\n");
	if (w.listening)
		hear_answers();
	check_counts();
}

/* The last worker of that place. */
static struct worked *
at_place(long place)
{
	size_t i = w.count;

	while (i > 0 && w.list[i - 1].place != place)
		i--;
	return i == 0 ? NULL : w.list + i - 1;
}

static void
act_worker(struct worked *worker, char *line, size_t length)
{
	static char much[LONG];

	switch (*line) {
	case 'o': open_worker(worker); break;
	case 'w': line[length++] = '\n'; /* FALLTHROUGH */
	case 'v': say(worker, line + 2, length - 2); break;
	case 'l':
		memset(much, 'x', sizeof much);
		say(worker, much, sizeof much);
		break;
	case 'a': answer_next(worker); break;
	case 'i': ground_shut(&worker->in); break;
	case 'j': ground_shut(&worker->out); break;
	case 'k': end_worker(worker, "ended %ld 7\n"); break;
	default: end_worker(worker, NULL);
	}
}

/* There is room for a newline. */
static void
act(char *line, size_t length)
{
	struct worked *worker = length > 1 ? at_place(line[1] - '0') : NULL;
	size_t i;

	for (i = 0; i < length; i++)
		if (line[i] == '\1')
			line[i] = '\0';
	if (*line != '\0' && strchr("owvlaijkm", *line) != NULL) {
		if (worker != NULL)
			act_worker(worker, line, length);
		return;
	}
	switch (*line) {
	case '>': line[length++] = '\n'; /* FALLTHROUGH */
	case '}': put_input(line + 1, length - 1); break;
	case 'r':
		put_input(":", w.options.attended);
		line[length] = '\n';
		put_input(line + 1, length);
		break;
	case 'c':
		ground_shut(&w.input);
		lines_end(&w.requests);
		break;
	case 's':
		tell_jobpool(line + 1);
		tell_jobpool("\n");
		break;
	case 't': tell_jobpool(line + 1); break;
	case 'h': w.listening = !w.listening; break;
	case '+':
		ground_pass(line);
		/* FALLTHROUGH */
	default: step();
	}
}

/* A worker's last act. */
static void
end_as_meant(struct worked *worker)
{
	switch (w.ending) {
	case ECHOES:
		open_worker(worker);
		while (answer_next(worker))
			;
		break;
	case DIES: end_worker(worker, "ended %ld 1\n"); break;
	case CLOSES:
		open_worker(worker);
		end_worker(worker, NULL);
		break;
	case SILENT: break;
	}
}

/* Workers that have ended before they opened anything: jobpool may not know yet. */
static long
count_unseen(void)
{
	long unseen = 0;

	for (size_t i = 0; i < w.count; i++)
		unseen += w.list[i].over && !w.list[i].opened;
	return unseen;
}

/* Ends the workers that there were; new ones behave as w.ending says. A worker that echoes answers
   a request made now, unless each try was one of a worker that had ended unseen. */
static void
end_all(void)
{
	size_t i, old = w.count;
	long last = 0, unseen = count_unseen();
	int rounds;

	w.listening = 1;
	tell_jobpool("\n");
	for (i = 0; i < old && w.ending != SILENT; i++)
		end_worker(w.list + i, w.ending == CLOSES ? NULL : "ended %ld 1\n");
	w.prompt = w.ending == ECHOES;
	for (i = 0; i < 3; i++)
		step();
	if (w.input >= 0 && w.d.more) {
		put_input("\n", 1);
		put_input(":", w.options.attended);
		put_input("last\n", 5);
		last = count_requests();
	}
	ground_shut(&w.input);
	lines_end(&w.requests);
	for (rounds = 0; !w.ended; rounds++) {
		if (rounds == ROUNDS)
			wrong("it does not come to an end");
		ground_clock(w.ending == ECHOES ? LIMIT / 5 : LIMIT);
		step();
		for (i = old; i < w.count; i++)
			end_as_meant(w.list + i);
	}
	hear_answers();
	if (w.ending == ECHOES && last > 0 && w.d.staff.over == 0 && unseen < w.options.tries &&
	    (w.options.attended || w.options.tagged) &&
	    ((size_t)last >= w.room || w.state[last] != '+'))
		wrong("the last request has no answer");
}

static void
check_all(void)
{
	const struct staff *staff = &w.d.staff;
	long asked = count_requests();

	if (w.d.status == 0 ? staff->asked != asked : staff->asked > asked)
		wrong("%ld requests, and seen were %ld", asked, staff->asked);
	asked = staff->asked;
	if (staff->pending != 0 || staff->bytes != 0)
		wrong("%ld requests, %zu bytes are left", staff->pending, staff->bytes);
	if (w.answers.length > 0)
		wrong("half a line was written");
	if (w.options.attended || w.options.order ? w.succeeded + w.failed != asked : w.succeeded != asked - staff->failed)
		wrong("%ld requests, %ld answers, %ld failures, and counted %ld", asked, w.succeeded, w.failed,
		    staff->failed);
}

/* What ends with a process. */
static void
close_staff(struct staff *staff)
{
	struct request *request;

	while ((request = staff->answers.first) != NULL) {
		staff->answers.first = request->after;
		outbox_drop(&request->answer);
		free(request);
	}
	outbox_drop(&staff->answers.out);
	outbox_drop(&staff->workers.nursery.orders);
	feed_close(&staff->workers.nursery.news);
	close(staff->workers.nursery.keep);
	close(staff->workers.nursery.dir);
	free(staff->workers.environment);
	free(staff->workers.list);
	unlink("nursery/workers");
}

static void
close_all(void)
{
	size_t i;

	for (i = 0; i < w.count; i++) {
		end_worker(w.list + i, NULL);
		lines_free(&w.list[i].asked);
		lines_free(&w.list[i].said);
	}
	free(w.list);
	free(w.state);
	lines_free(&w.requests);
	lines_free(&w.answers);
	lines_free(&w.told);
	close_staff(&w.d.staff);
	feed_close(&w.d.input);
	ground_shut(&w.output);
	ground_shut(&w.orders);
	if (rmdir("nursery") != 0)
		wrong("something is left in the directory");
}

static void
reserve(void)
{
	int null = open("/dev/null", O_RDWR);

	if (null != NURSERY_NEWS && (dup2(null, NURSERY_NEWS) < 0 || close(null) != 0))
		wrong("no /dev/null");
}

static void
open_all(const unsigned char *data)
{
	static const struct world empty;

	w = empty;
	set_options(data);
	w.input = open_pipe_at(STDIN_FILENO, 1);
	w.output = open_pipe_at(STDOUT_FILENO, 0);
	w.orders = open_pipe_at(NURSERY_NEWS, 0);
	w.listening = 1;
	if (mkdir("nursery", 0700) != 0)
		wrong("no directory");
	w.d.options = &w.options;
	w.d.more = 1;
	w.d.watch = -1;
	sigprocmask(SIG_BLOCK, NULL, &w.d.before);
	if (feed_open(&w.d.input, NULL, '\n') != 0 || staff_open(&w.d.staff, &w.options, &w.d.before) != 0)
		wrong("no jobpool");
	if (w.options.attended && outbox_add(&w.d.staff.answers.out, "ready\n", 6) != 0)
		wrong("no memory");
}

/* Before libFuzzer opens a file there. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	reserve();
	return 0;
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *script, *rest, *line;
	size_t length;
	int before;

	if (size < 3)
		return 0;
	ground_anew();
	reserve();
	before = ground_descriptors();
	open_all(data);
	rest = script = ground_text(data + 3, size - 3);
	while ((line = line_next(&rest)) != NULL) {
		length = strlen(line);
		act(line, length);
		line[length] = '\0';
	}
	end_all();
	check_all();
	close_all();
	if (ground_descriptors() != before)
		wrong("descriptors are left open");
	free(script);
	return 0;
}
