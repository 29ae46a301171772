/*
 * A dispenser for clients, from the inlet to the leases: dispenser.c, clients.c and the modules
 * that they use. The input is a script of lines:
 *
 *	>TEXT	the line goes into the inlet; }TEXT without its newline
 *	cN	client N makes its FIFO w.N and opens both ends
 *	wNTEXT	client N writes the text there; kN it is killed
 *	fNAME	makes a plain file of that name in the directory; dNAME removes it
 *	+N	10^N ms later; anything else lets the dispenser take its news
 *
 * After each line, the tokens must add up, and nobody may wait for free tokens. At the end all
 * clients die, and all tokens must be home.
 */
#include "../../src/tokend/dispenser.c"

#include <sys/stat.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "ground.h"

enum { CLIENTS = 10, TOKENS = 3, ROUNDS = 32, ROOM = 64 };

struct client {
	int answers, lease;
};

static int
count_one(void *context, const struct waiter *waiter)
{
	*(long *)context += waiter->who.count > 0;
	return 0;
}

static void
check(struct clients *c)
{
	const struct pool *p = &c->store.pool;
	const struct waiter *first = c->store.paused ? NULL : waiters_first(&c->waiters);
	long slot, free_ones = 0, out = 0, leaving = 0, pending = 0, waiting = 0;

	waiters_some(&c->waiters, 0, LONG_MAX, count_one, &waiting);
	if (waiting != c->waiters.count)
		wrong("%ld wait, and counted are %ld", waiting, c->waiters.count);
	for (slot = 1; slot < (long)p->room; slot++) {
		free_ones += p->slots[slot].state == FREE;
		out += p->slots[slot].state == OUT;
		leaving += p->slots[slot].leaving;
		pending += p->slots[slot].turn.pending;
		if (p->slots[slot].turn.pending && p->slots[slot].state != OUT)
			wrong("slot %ld is to start, and not out", slot);
	}
	if (free_ones != p->free || out != p->out || leaving != p->leaving)
		wrong("%ld free, %ld out, %ld leaving, and counted %ld, %ld, %ld", free_ones, out, leaving, p->free,
		    p->out, p->leaving);
	if (pending != p->pace->pending)
		wrong("%ld are to start, and counted %ld", pending, p->pace->pending);
	if (p->free + p->out - p->leaving < p->wanted)
		wrong("%ld free, %ld out, %ld leaving, of %ld", p->free, p->out, p->leaving, p->wanted);
	if (first != NULL && first->who.count <= pool_spare(p))
		wrong("%s waits for %d, and %ld are free", first->who.name, first->who.count, p->free);
	if (first != NULL && p->pace->pending == 0 && first->who.count <= p->free &&
	    pool_missing(p, first->who.count) == 0 && clients_wait_ms(c) < 0)
		wrong("%s waits for its time, and nothing wakes the dispenser then", first->who.name);
	if (pool_spare(p) > 0 && pool_spare(p) + p->out - p->leaving > p->wanted)
		wrong("%ld are out and %ld may be, of %ld", p->out, pool_spare(p), p->wanted);
}

/* Each slot that is out is in one chain, and no other is in any. */
static void
check_chains(const struct clients *c)
{
	const struct pool *p = &c->store.pool;
	long chains[ROOM] = {0}, slot;

	for (size_t fd = 0; fd < c->holders.room; fd++)
		for (slot = c->holders.list[fd].slot; slot != 0; slot = p->slots[slot].next)
			if (slot < ROOM)
				chains[slot]++;
	for (slot = 1; slot < (long)p->room && slot < ROOM; slot++)
		if (chains[slot] != (p->slots[slot].state == OUT))
			wrong("slot %ld is in %ld chains", slot, chains[slot]);
}

static void
take_all_news(struct dispenser *d)
{
	int i;

	for (i = 0; i < ROUNDS && (i < 2 || d->news.count > 0); i++) {
		if (news_wait(&d->news, 0) != 0)
			wrong("no news can be had");
		if (take_news(d) != 0)
			wrong("somebody is gone whom nobody knows");
		serve_turn(d);
	}
	check(&d->clients);
	check_chains(&d->clients);
}

static void
arrive(const struct dispenser *d, struct client *client, int number)
{
	char name[NAMES_FILE];

	if (client->lease >= 0)
		return;
	snprintf(name, sizeof name, "w/%d", number);
	mkfifoat(d->claim.dir, name, 0600);
	client->answers = names_open(d->claim.dir, name, O_RDONLY);
	client->lease = client->answers < 0 ? -1 : names_open(d->claim.dir, name, O_WRONLY);
}

static void
die(struct client *client)
{
	ground_shut(&client->answers);
	ground_shut(&client->lease);
}

/* A client that may write there may make and remove files of its own. */
static void
meddle(const struct dispenser *d, const char *line)
{
	const char *name = line + (strncmp(line + 1, "w/", 2) == 0 ? 3 : 1);
	int fd;

	if (*name == '.' || *name == '\0' || strchr(name, '/') != NULL || strcmp(name, "lock") == 0)
		return;
	if (*line == 'd') {
		unlinkat(d->claim.dir, line + 1, 0);
		return;
	}
	fd = openat(d->claim.dir, line + 1, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd >= 0)
		close(fd);
}

static void
put(int fd, const char *text, const char *end)
{
	if (fd >= 0 && (write(fd, text, strlen(text)) < 0 || write(fd, end, strlen(end)) < 0))
		return; /* full */
}

static void
act(struct dispenser *d, struct client *clients, char *line)
{
	struct client *client = clients + (*line != '\0' && line[1] >= '0' && line[1] <= '9' ? line[1] - '0' : 0);

	switch (*line) {
	case '>': put(d->claim.keep, line + 1, "\n"); break;
	case '}': put(d->claim.keep, line + 1, ""); break;
	case 'c': arrive(d, client, (int)(client - clients)); break;
	case 'k': die(client); break;
	case 'w':
		if (line[1] != '\0')
			put(client->lease, line + 2, "");
		break;
	case 'f':
	case 'd': meddle(d, line); break;
	case '+':
		ground_pass(line);
		/* FALLTHROUGH */
	default: take_all_news(d);
	}
}

/* All clients are dead, and tokens held without a lease are given back. */
static void
bring_home(struct dispenser *d, struct client *clients)
{
	struct clients *c = &d->clients;
	char *marks;
	int i;

	for (i = 0; i < CLIENTS; i++)
		die(clients + i);
	take_all_news(d);
	for (i = 0; i < ROUNDS && c->waiters.count > 0; i++) {
		put(d->claim.keep, "\n@stat 999\n", "");
		ground_clock(20000);
		take_all_news(d);
	}
	ground_clock(20000);
	take_all_news(d);
	clients_stop(c);
	take_all_news(d);
	marks = calloc(c->store.pool.room + 1, 1);
	if (c->store.pool.out - builds_count(&c->builds, marks) > 0)
		wrong("%ld tokens are out, and nobody is there", c->store.pool.out);
	free(marks);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct dispenser d = {0};
	struct client clients[CLIENTS];
	char *script, *rest, *line, builds[] = "/nowhere";
	int i;

	ground_anew();
	if (claim_take(&d.claim, "f", 0600) != STATUS_DONE)
		wrong("no place for the dispenser");
	for (i = 0; i < CLIENTS; i++)
		clients[i].answers = clients[i].lease = -1;
	d.watch = d.background = -1;
	d.mode = 0600;
	d.serving = 1;
	d.count = TOKENS;
	d.clients.store.limits.ceiling = -1;
	d.clients.store.limits.least = 1;
	d.clients.builds.path = size > 0 && data[0] % 2 ? builds : NULL;
	d.pace.each = size > 0 && data[0] % 8 == 2 ? 500 : 0;
	d.pace.any = size > 0 && data[0] % 8 == 4 ? 300 : 0;
	if (listen_to(&d) != 0 || open_tokens(&d) != 0)
		wrong("no dispenser");
	rest = script = ground_text(data, size);
	while ((line = line_next(&rest)) != NULL)
		act(&d, clients, line);
	bring_home(&d, clients);
	free(script);
	clients_close(&d.clients);
	news_close(&d.news);
	claim_release(&d.claim);
	return 0;
}
