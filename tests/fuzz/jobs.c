/*
 * A dispenser for an attendant, from what jobs write into their leases to what the
 * attendant is told. The input is a script of lines:
 *
 *	>TEXT	the line goes into the inlet; }TEXT without its newline
 *	oH	the attendant opens a lease that it was told is free, for job H
 *	wHTEXT	job H writes the line there; vHTEXT without its newline; kH it ends
 *	+N	10^N ms later; anything else lets the dispenser take its news
 *
 * The attendant here believes what it is told: no lease may be free twice, none may be
 * said free that cannot be opened, never more than there are, and all at the end; one at a
 * time where there is to be a time between any two starts.
 */
#include "../../src/tokend/dispenser.c"

#include <sys/stat.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "ground.h"

enum { JOBS = 10, TOKENS = 3, ROUNDS = 32, HEARD = 1 << 17, PACE = 500 };

struct attendant {
	int output;               /* what tokend says, the end that is read */
	char heard[HEARD];
	size_t used;
	char free[TOKENS][LEASE_NAME];
	int job[JOBS];
	int odd;                  /* "@brief" and "@end" were said, or stop */
};

static void
is_free(struct attendant *a, const char *lease)
{
	long slot, generation;
	int i, place = -1;

	if (lease_parse(lease, &slot, &generation) != 0 || slot > TOKENS)
		wrong("%s: no lease", lease);
	for (i = 0; i < TOKENS; i++) {
		if (strcmp(a->free[i], lease) == 0)
			wrong("%s: free twice", lease);
		if (a->free[i][0] == '\0')
			place = i;
	}
	if (place < 0)
		wrong("%s: one too many is free", lease);
	strcpy(a->free[place], lease);
}

/* See attendant.h. */
static void
hear(struct attendant *a, char *line)
{
	char whole[HEARD], *word, *lease, *last;

	strcpy(whole, line);
	word = strtok(line, " ");
	lease = strtok(NULL, " ");
	last = strtok(NULL, " ");
	if (word == NULL)
		wrong("an empty line");
	else if (lease == NULL)
		is_free(a, word);
	else if (strcmp(word, "free") == 0 || (strcmp(word, "done") == 0 && last != NULL))
		is_free(a, lease);
	else if (strcmp(word, "early") == 0 && last != NULL)
		is_free(a, last);
	else if (strcmp(word, "gone") != 0 && strcmp(word, "late") != 0 && strcmp(word, "said") != 0 &&
	    strcmp(word, "stop") != 0)
		wrong("'%s': no word of tokend", whole);
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
	int i;

	for (i = 0; i < ROUNDS && (i < 2 || d->news.count > 0 || attendant_waits() > 0); i++) {
		if (attendant_flush() != 0 || news_wait(&d->news, 0) != 0 || take_news(d) != 0)
			wrong("no news can be had");
		serve(d);
		listen_in(a);
	}
}

static void
start(const struct dispenser *d, struct attendant *a, int *job)
{
	int i;

	for (i = 0; i < TOKENS && a->free[i][0] == '\0'; i++)
		;
	if (*job >= 0 || i == TOKENS)
		return;
	*job = openat(d->claim.dir, a->free[i], O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (*job < 0)
		wrong("%s: free, and cannot be opened", a->free[i]);
	a->free[i][0] = '\0';
}

static void
put(int fd, const char *text, const char *end)
{
	char both[4096];

	snprintf(both, sizeof both, "%s%s", text, end);
	if (fd >= 0 && write(fd, both, strlen(both)) < 0)
		return; /* full */
}

static void
end(int *job)
{
	if (*job >= 0)
		close(*job);
	*job = -1;
}

static void
act(struct dispenser *d, struct attendant *a, char *line)
{
	int *job = a->job + (*line != '\0' && line[1] >= '0' && line[1] <= '9' ? line[1] - '0' : 0);
	int i, ms = 1;

	switch (*line) {
	case '>': put(d->claim.keep, line + 1, "\n"); break;
	case '}': put(d->claim.keep, line + 1, ""); break;
	case 'o': start(d, a, job); break;
	case 'w':
	case 'v':
		if (line[1] != '\0')
			put(*job, line + 2, *line == 'w' ? "\n" : "");
		break;
	case 'k': end(job); break;
	case '+':
		for (i = (int)(job - a->job); i > 0; i--)
			ms *= 10;
		ground_clock(ms % 100000);
		/* FALLTHROUGH */
	default: take_all_news(d, a);
	}
}

/* A pipe is standard output, from the first input on. */
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

static void
end_all(struct dispenser *d, struct attendant *a)
{
	int i, all = 0;

	for (i = 0; i < JOBS; i++)
		end(a->job + i);
	take_all_news(d, a);
	ground_clock(2 * PACE);
	take_all_news(d, a);
	for (i = 0; i < TOKENS; i++)
		all += a->free[i][0] != '\0';
	if (all != (d->pace.any > 0 ? 1 : TOKENS))
		wrong("%d tokens are free, and no job is there", all);
	if (pace_on(&d->pace) && d->pace.pending != all)
		wrong("%d tokens are free, and %ld were announced", all, d->pace.pending);
	if (leases_held(&d->jobs.leases) != 0)
		wrong("a lease is held, and no job is there");
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static struct attendant a;
	struct dispenser d = {0};
	char *script, *rest, *line;
	int i;

	ground_enter();
	ground_empty(".");
	signal(SIGPIPE, SIG_IGN);
	memset(&a, 0, sizeof a);
	a.output = listening();
	for (i = 0; i < JOBS; i++)
		a.job[i] = -1;
	if (claim_take(&d.claim, "f", 0600) != STATUS_DONE)
		wrong("no place for the dispenser");
	d.watch = d.background = -1;
	d.lines = 1;
	d.count = TOKENS;
	d.jobs.limit = size > 0 && data[0] % 2 ? 1000 : 0;
	d.pace.each = size > 0 && data[0] & 2 ? PACE : 0;
	d.pace.any = size > 0 && data[0] & 4 ? PACE / 2 : 0;
	if (listen_to(&d) != 0 || open_tokens(&d) != 0)
		wrong("no dispenser");
	announce(&d);
	take_all_news(&d, &a);
	rest = script = ground_text(data, size);
	while ((line = line_next(&rest)) != NULL)
		act(&d, &a, line);
	end_all(&d, &a);
	free(script);
	leases_close(&d.jobs.leases);
	claim_release(&d.claim);
	attendant_flush();
	listen_in(&a);
	news_close(&d.news);
	return 0;
}
