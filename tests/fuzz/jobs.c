/*
 * A dispenser for an attendant, from the words of jobs in their leases and of the attendant in its
 * calls to the lines that it is told. The first byte chooses options; the input is a script:
 *
 *	>TEXT	the line goes into the inlet; }TEXT without its newline
 *	oH	the attendant opens a lease that it was given, for job H
 *	wHTEXT	job H writes the line there; vHTEXT without its newline; kH it ends
 *	cTEXT	the attendant says that, and rings; dTEXT without ringing; a it answers each "who"
 *	+N	10^N ms later; anything else lets the dispenser take its news
 *
 * The attendant here believes all lines: no lease may be given twice, none that cannot be opened,
 * no number to two jobs; never more than there are, and all at the end; one at a time if there is
 * to be a time between any two starts. In the end "all" is said, and its figures agree. Nobody
 * ends jobs here.
 */
#include "../../src/tokend/dispenser.c"

#include <sys/stat.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "ground.h"

enum { JOBS = 10, TOKENS = 3, ROUNDS = 32, HEARD = 1 << 17, PACE = 500, IDS = 1 << 16,
	TURNS = 10000 };

struct given {
	char lease[LEASE_NAME];
	long id;
	int pushed;               /* or asked for: no command came with it */
	long line;                /* leases are taken in the order in which they were given */
};

struct attendant {
	int output;               /* read end of tokend's output */
	char heard[HEARD];
	size_t used;
	struct given given[TOKENS];
	struct given of[JOBS];    /* of each job */
	int job[JOBS];
	long who[IDS], asked;     /* numbers of jobs that were asked for */
	int all;                  /* said */
	long lines;
	char began[IDS];          /* numbers of jobs */
};

int
ender_begin(struct ender *ender, const struct doomed *jobs, size_t count)
{
	(void)ender;
	for (size_t i = 0; i < count; i++)
		if (jobs[i].pid < 2)
			wrong("%ld is to be ended", (long)jobs[i].pid);
	return count % 2 == 0 ? 0 : -1;
}

int
ender_event(struct ender *ender, int fd)
{
	(void)ender;
	(void)fd;
	return 0;
}

int
ender_busy(const struct ender *ender)
{
	(void)ender;
	return 0;
}

static void
is_given(struct attendant *a, const char *lease, const char *id, const char *command)
{
	struct given *place = NULL;
	long slot, generation;

	if (lease_parse(lease, &slot, &generation) != 0 || slot > TOKENS)
		wrong("%s: no lease", lease);
	for (int i = 0; i < TOKENS; i++) {
		if (strcmp(a->given[i].lease, lease) == 0)
			wrong("%s: given twice", lease);
		if (a->given[i].lease[0] == '\0')
			place = a->given + i;
	}
	for (int i = 0; i < JOBS; i++)
		if (a->job[i] >= 0 && strcmp(a->of[i].lease, lease) == 0)
			wrong("%s: given, and job %ld has it", lease, a->of[i].id);
	if (place == NULL)
		wrong("%s: one too many is given", lease);
	place->line = a->lines++;
	strcpy(place->lease, lease);
	place->id = strtol(id, NULL, 10);
	place->pushed = command == NULL;
}

/* "all RESULT STARTED DONE FAILED [FIRST]" */
static void
is_all(struct attendant *a, const char *line)
{
	long result, started, done, failed, first = -1;
	int n = sscanf(line, "all %ld %ld %ld %ld %ld", &result, &started, &done, &failed, &first);

	if (n < 4 || started != done || failed > done || (n == 5) != (failed > 0) ||
	    (failed > 0 && result == 0))
		wrong("'%s': figures that do not agree", line);
	a->all = 1;
}

/* The lease may have been given up, and not opened. */
static void
is_asked_for(struct attendant *a, const char *id, const char *lease)
{
	long number = strtol(id, NULL, 10);

	if (a->asked < IDS)
		a->who[a->asked++] = number;
	for (int i = 0; i < TOKENS; i++)
		if (a->given[i].id == number && strcmp(a->given[i].lease, lease) == 0)
			a->given[i].lease[0] = '\0';
}

/* See attendant.h. */
static void
hear(struct attendant *a, char *line)
{
	static const char *const words[] = {"said", "early", "count", "ended", "failed", "result",
		"gave", "task", "skip", "stop", "ready", "sync"};
	static char whole[HEARD];
	char *word, *first, *rest;

	strcpy(whole, line);
	word = strtok(line, " ");
	first = strtok(NULL, " ");
	rest = strtok(NULL, " ");
	if (word == NULL || (first == NULL && strcmp(word, "sync") != 0)) /* answers "y" */
		wrong("'%s': too short a line", whole);
	if (*word >= '0' && *word <= '9')
		is_given(a, word, first, rest);
	else if (strcmp(word, "who") == 0 && rest != NULL)
		is_asked_for(a, first, rest);
	else if (strcmp(word, "all") == 0)
		is_all(a, whole);
	else {
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (strcmp(word, words[i]) == 0)
				return;
		wrong("'%s': no word of tokend", whole);
	}
}

static void
listen_in(struct attendant *a)
{
	char *end;
	ssize_t n;

	while ((n = read(a->output, a->heard + a->used, sizeof a->heard - 1 - a->used)) > 0) {
		a->used += (size_t)n;
		a->heard[a->used] = '\0';
		while ((end = memchr(a->heard, '\n', a->used)) != NULL) {
			*end++ = '\0';
			a->used -= (size_t)(end - a->heard);
			hear(a, a->heard);
			memmove(a->heard, end, a->used);
		}
	}
}

static void
take_all_news(struct dispenser *d, struct attendant *a)
{
	for (int i = 0; i < ROUNDS && (i < 2 || d->news.count > 0 || attendant_waits() > 0); i++) {
		if (attendant_flush() != 0 || news_wait(&d->news, 0) != 0 || take_news(d) != 0)
			wrong("no news can be had");
		serve_turn(d);
		attendant_flush();
		listen_in(a);
	}
}

static void
start(const struct dispenser *d, struct attendant *a, int *job)
{
	struct given *given = NULL, *one = a->given;

	for (; one < a->given + TOKENS; one++)
		if (one->lease[0] != '\0' && (given == NULL || one->line < given->line))
			given = one;
	if (*job >= 0 || given == NULL)
		return;
	*job = openat(d->claim.dir, given->lease, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (*job < 0)
		wrong("%s: given, and cannot be opened", given->lease);
	if (given->id < 0 || given->id >= IDS || a->began[given->id])
		wrong("%ld: not the number of a new job", given->id);
	a->began[given->id] = 1;
	a->of[job - a->job] = *given;
	given->lease[0] = '\0';
}

static void
put(int fd, const char *text, const char *end)
{
	char both[4096];

	snprintf(both, sizeof both, "%s%s", text, end);
	if (fd >= 0 && write(fd, both, strlen(both)) < 0)
		return; /* full */
}

/* Leases recalled by this verb are not opened any more. */
static void
forget(struct attendant *a, char verb)
{
	for (int i = 0; i < TOKENS; i++)
		if (verb == 'x' || verb == 'y' || ((verb == 'w' || verb == 'q') && a->given[i].pushed))
			a->given[i].lease[0] = '\0';
}

/* An option of the books is kept for good: so only the first byte may say "o". */
static void
call(struct dispenser *d, struct attendant *a, const char *text, int ring)
{
	int file, bell;

	if (*text == 'o')
		return;
	take_all_news(d, a);
	forget(a, *text);
	file = openat(d->claim.dir, "calls", O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (file < 0)
		wrong("the calls cannot be written");
	put(file, text, "\n");
	close(file);
	if (!ring)
		return;
	if ((bell = openat(d->claim.dir, "bell", O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0)
		wrong("the bell cannot be rung");
	close(bell);
	take_all_news(d, a);
}

static void
answer(struct dispenser *d, struct attendant *a)
{
	char text[64];

	while (a->asked > 0) {
		snprintf(text, sizeof text, "s %ld %ld", a->who[a->asked - 1],
		    a->who[a->asked - 1] % 3);
		a->asked--;
		call(d, a, text, 1);
	}
}

static void
act(struct dispenser *d, struct attendant *a, char *line)
{
	int *job = a->job + (*line != '\0' && line[1] >= '0' && line[1] <= '9' ? line[1] - '0' : 0);

	switch (*line) {
	case '>': put(d->claim.keep, line + 1, "\n"); break;
	case '}': put(d->claim.keep, line + 1, ""); break;
	case 'o': start(d, a, job); break;
	case 'w':
	case 'v':
		if (line[1] != '\0')
			put(*job, line + 2, *line == 'w' ? "\n" : "");
		break;
	case 'k': ground_shut(job); break;
	case 'c':
	case 'd': call(d, a, line + 1, *line == 'c'); break;
	case 'a': answer(d, a); break;
	case '+':
		ground_pass(line);
		/* FALLTHROUGH */
	default: take_all_news(d, a);
	}
}

/* Standard output is a pipe, from the first input on. */
static int
listening(void)
{
	static int output = -1;
	int ends[2];

	if (output >= 0)
		return output;
	if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
		wrong("no pipe");
	close(ends[1]);
	return output = ends[0];
}

/* Each job that still waits for a lease has its turn, until "all" is the answer. */
static void
wait_for_all(struct dispenser *d, struct attendant *a, const char *how)
{
	a->all = 0;
	call(d, a, how, 1);
	for (int turn = 0; !a->all; turn++) {
		if (turn == TURNS)
			wrong("\"all\" is not said");
		for (int i = 0; i < JOBS; i++) {
			ground_shut(a->job + i);
			start(d, a, a->job + i);
		}
		for (int i = 0; i < JOBS; i++)
			ground_shut(a->job + i);
		take_all_news(d, a);
		answer(d, a);
		ground_clock(2 * PACE);
		take_all_news(d, a);
	}
}

static void
end_all(struct dispenser *d, struct attendant *a)
{
	int all = 0, most = d->pace.any > 0 ? 1 : TOKENS;

	for (int i = 0; i < JOBS; i++)
		ground_shut(a->job + i);
	take_all_news(d, a);
	if (!d->jobs.closed)
		wait_for_all(d, a, "w");
	ground_clock(2 * PACE);
	take_all_news(d, a);
	for (int i = 0; i < TOKENS; i++)
		all += a->given[i].lease[0] != '\0';
	if (d->jobs.books.result != 0 || d->jobs.closed)
		most = 0;
	if (d->jobs.books.asks ? all > 1 : all != most) /* one may have been asked for */
		wrong("%d leases are given, and no job is there", all);
	if (pace_on(&d->pace) && d->jobs.books.result == 0 && d->pace.pending != all)
		wrong("%d leases are given, and %ld are out", all, d->pace.pending);
	if (starts_open(&d->jobs) != 0)
		wrong("a lease is held, and no job is there");
	if (!d->jobs.closed)
		wait_for_all(d, a, "q");
}

static void
choose(struct dispenser *d, int byte)
{
	struct books *books = &d->jobs.books;

	d->jobs.books.terms.limit = byte & 1 ? 1000 : 0;
	d->pace.each = byte & 2 ? PACE : 0;
	d->pace.any = byte & 4 ? PACE / 2 : 0;
	books->asks = (byte & 8) != 0;
	books->terms.retry.tries = byte & 16 ? 2 : 1;
	books->next = 1;
	books->who = "tokend";
	books->ended = books->failed_too = byte & 32 ? 1 : 0;
	books->terms.mode = byte & 32 ? OUTPUT_ORDER : OUTPUT_PLAIN;
	if (byte & 64)
		books_option(books, byte & 128 ? "--halt=now,fail=2" : "--halt=soon,fail=2");
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static struct attendant a;
	struct dispenser d = {0};
	char *script, *rest, *line;

	ground_anew();
	memset(&a, 0, sizeof a);
	a.output = listening();
	for (int i = 0; i < JOBS; i++)
		a.job[i] = -1;
	if (claim_take(&d.claim, "f", 0600) != STATUS_DONE)
		wrong("no place for the dispenser");
	d.watch = d.background = -1;
	d.lines = 1;
	d.count = TOKENS;
	choose(&d, size > 0 ? data[0] : 0);
	if (listen_to(&d) != 0 || open_tokens(&d) != 0)
		wrong("no dispenser");
	jobs_announce(&d.jobs, d.labels.list, (long)d.labels.count);
	take_all_news(&d, &a);
	rest = script = ground_text(data, size);
	while ((line = line_next(&rest)) != NULL)
		act(&d, &a, line);
	end_all(&d, &a);
	free(script);
	jobs_close(&d.jobs);
	claim_release(&d.claim);
	attendant_flush();
	listen_in(&a);
	news_close(&d.news);
	return 0;
}
