#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobkeep.h"

enum {
	NAME = 32,         /* bytes of the name of a FIFO */
	WORD = 64,         /* bytes of a line that a job may write */
	READS = 100,       /* of one FIFO in a row, which has more */
	LONGEST = 5000,    /* ms: nobody is waited for longer at the end */
	LOOK = 1000,       /* ms between two looks whether a connection has ended ... */
	SOON = 5           /* ... one that is to end */
};

/*
 * A connection is a process that lives long, whose standard input and output are two FIFOs, N.in
 * and N.out, in a directory of ours. It is in a process group of its own.
 *
 * A job opens both by name. We have the job's ends, too, for as long as the connection lives: it
 * shall see no end of its input between two jobs, and no SIGPIPE. Its own ends, those far from the
 * job, we have while a job opens the FIFOs, which so cannot block; from connection_taken() on the
 * job sees the end of a connection that has died.
 */
struct connection {
	struct connection *next;
	long number;         /* of all that were opened */
	struct child child;  /* pid 0: it was waited for */
	int in, out;         /* the job's ends, -1 when closed; never written, never read */
	int far_in, far_out; /* those of the process, -1 when not held */
	long uses;           /* jobs that have given it back */
	long long idle;      /* since when nobody has used it (clock.c) */
};

/* Where the jobs of a slot ask for its connection. */
struct desk {
	long number;          /* of the slot: 1.. */
	int ask;              /* read end: requests */
	int say, say_read;    /* both ends: answers */
	char line[WORD];      /* what was read of a line so far */
	size_t used;          /* WORD: it is too long */
	char who[WORD];       /* whose request is the last */
	int lent;
	struct connection *c; /* or NULL */
};

static void
name_of(char name[NAME], long number, const char *what)
{
	snprintf(name, NAME, "%ld.%s", number, what);
}

static void
unlink_both(const struct keeper *k, long number, const char *one, const char *other)
{
	char name[NAME];

	name_of(name, number, one);
	unlinkat(k->dir, name, 0);
	name_of(name, number, other);
	unlinkat(k->dir, name, 0);
}

/* Lets the far ends go. */
static void
connection_taken(struct connection *c)
{
	descriptors_close(&c->far_in);
	descriptors_close(&c->far_out);
}

/* Holds the far ends, all four at first: 0, or -1 with errno. */
static int
connection_lend(const struct keeper *k, struct connection *c)
{
	char in[NAME], out[NAME];

	name_of(in, c->number, "in");
	name_of(out, c->number, "out");
	if (fifo_open_both(k->dir, in, &c->far_in, &c->in) == 0 &&
	    fifo_open_both(k->dir, out, &c->out, &c->far_out) == 0)
		return 0;
	connection_taken(c);
	return -1;
}

/* 1 when nothing is there to be read that no job has asked for. */
static int
connection_quiet(const struct connection *c)
{
	return !(descriptors_poll(c->out, POLLIN, 0) & POLLIN);
}

/* Closes our ends and has it end: by itself, then TERM after the grace; in a hurry, TERM now. */
static void
connection_end(const struct keeper *k, struct connection *c, int hurry)
{
	connection_taken(c);
	descriptors_close(&c->in);
	descriptors_close(&c->out);
	unlink_both(k, c->number, "in", "out");
	if (hurry)
		child_end(&c->child, k->grace);
	else
		child_leave(&c->child, k->grace);
}

/* The read end alone: it tells nothing before a writer has come and gone. */
static int
open_ask(const struct keeper *k, const struct desk *desk)
{
	char name[NAME];

	name_of(name, desk->number, "ask");
	return fifo_open(k->dir, name, O_RDONLY | O_NOFOLLOW);
}

static void
open_desk(struct keeper *k, struct desk *desk)
{
	char name[NAME];

	name_of(name, desk->number, "say");
	desk->say = desk->say_read = -1;
	if (fifo_open_both(k->dir, name, &desk->say_read, &desk->say) == 0) {
		name_of(name, desk->number, "ask");
		if ((mkfifoat(k->dir, name, 0600) == 0 || errno == EEXIST) &&
		    (desk->ask = open_ask(k, desk)) >= 0 &&
		    news_add(&k->news, desk->ask, POLLIN | POLLHUP) == 0)
			return;
	}
	fail(STATUS_TROUBLE, "keep/%s:", name);
}

void
keeper_open(struct keeper *k)
{
	k->desks = need_memory(calloc((size_t)k->count, sizeof *k->desks));
	if (news_open(&k->news) != 0 || news_add(&k->news, k->inlet, POLLERR) != 0)
		fail(STATUS_TROUBLE, "%ld connections:", k->count);
	for (long i = 0; i < k->count; i++) {
		k->desks[i].number = i + 1;
		open_desk(k, k->desks + i);
	}
}

/* The next keeper ends what we leave, and serves who waits. */
static void
give_way(const struct keeper *k)
{
	complain("%s:", *k->command);
	raise(SIGKILL);
}

/* An answer to a job that has died may still be in the FIFO: it is taken out. The job that asks may
   have read the first bytes of that already, and an empty line ends them. Then there is room for
   one answer. */
static void
answer_job(const struct keeper *k, const struct desk *desk, const char *what, long number,
    long uses)
{
	char text[WORD * 3];
	int i = 0, n = snprintf(text, sizeof text, "\n%s %s %ld %ld\n", desk->who, what, number,
	    uses);
	char old[512];

	while (read(desk->say_read, old, sizeof old) > 0 && ++i < READS)
		;
	while (write(desk->say, text, (size_t)n) < 0)
		if (errno != EINTR)
			give_way(k);
}

/* Its far ends are held. O_NONBLOCK goes to all who share a descriptor, and no program expects it
   of its input. Our parent may ignore signals, which exec would hand on. */
static struct connection *
connection_open(struct keeper *k)
{
	static const int usual[] = {SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGHUP, 0};
	struct connection *c = calloc(1, sizeof *c);
	int error = ENOMEM;

	if (c != NULL) {
		c->number = k->number + 1;
		c->in = c->out = c->far_in = c->far_out = -1;
		error = connection_lend(k, c) != 0 || fcntl(c->far_in, F_SETFL, 0) != 0 ||
		    fcntl(c->far_out, F_SETFL, 0) != 0 ? errno
		    : child_spawn(&c->child.pid, k->command, &(struct child_setup){.in = c->far_in,
		    .out = c->far_out, .err = -1, .leads = 1, .defaults = usual});
	}
	if (error == 0) {
		k->number++;
		c->next = k->all;
		return k->all = c;
	}
	if (c != NULL)
		connection_end(k, c, 1);
	free(c);
	errno = error;
	complain("%s:", *k->command);
	return NULL;
}

static void
part_with(struct keeper *k, struct desk *desk, int hurry)
{
	connection_end(k, desk->c, hurry);
	desk->c = NULL;
}

/* A job waits. A connection that has written since its last job is closed, for that is no answer
   for the next one. A new one may greet. */
static void
lend_connection(struct keeper *k, struct desk *desk)
{
	if (desk->c != NULL && desk->c->uses > 0 && !connection_quiet(desk->c))
		part_with(k, desk, 0);
	if (desk->c == NULL) {
		desk->c = k->refusing ? NULL : connection_open(k);
	} else if (connection_lend(k, desk->c) != 0) {
		complain("slot %ld:", desk->number);
		part_with(k, desk, 0);
	}
	desk->lent = desk->c != NULL;
	if (desk->lent)
		answer_job(k, desk, "ready", desk->c->number, desk->c->uses);
	else
		answer_job(k, desk, "refused", 0, 0);
}

/* A job is done with its connection, or has died, or failed. */
static void
take_back(struct keeper *k, struct desk *desk, int good)
{
	struct connection *c = desk->c;

	desk->lent = 0;
	connection_taken(c);
	if (!good) {
		part_with(k, desk, 1);
		return;
	}
	c->uses++;
	c->idle = clock_now();
	if (c->child.pid == 0 || c->uses == k->uses || k->refusing || !connection_quiet(c))
		part_with(k, desk, 0);
}

/* "get WHO", "+ WHO" or "ok WHO"; ignores anything else. */
static void
hear_job(struct keeper *k, struct desk *desk)
{
	char *who = strchr(desk->line, ' ');

	if (who == NULL || who[1] == '\0' || strchr(who + 1, ' ') != NULL)
		return;
	*who++ = '\0';
	if (strcmp(desk->line, "get") == 0) {
		if (desk->lent)
			take_back(k, desk, 0);
		snprintf(desk->who, sizeof desk->who, "%s", who);
		lend_connection(k, desk);
	} else if (desk->lent && strcmp(desk->who, who) == 0) {
		if (strcmp(desk->line, "+") == 0)
			connection_taken(desk->c);
		else if (strcmp(desk->line, "ok") == 0)
			take_back(k, desk, 1);
	}
}

static void
take_byte(struct keeper *k, struct desk *desk, char byte)
{
	if (byte != '\n') {
		if (desk->used < WORD - 1 && byte > ' ' - 1 && byte < 127)
			desk->line[desk->used++] = byte;
		else
			desk->used = WORD;
		return;
	}
	if (desk->used < WORD) {
		desk->line[desk->used] = '\0';
		hear_job(k, desk);
	}
	desk->used = 0;
}

/* The new read end is opened before the old one is closed: a job that opens the FIFO to write
   never waits, and never writes to nobody. After the end of the batch no job comes. */
static void
forget_writer(struct keeper *k, struct desk *desk)
{
	int fresh = open_ask(k, desk);

	if (fresh < 0 && errno != ENOENT)
		give_way(k);
	news_drop(&k->news, &desk->ask);
	desk->ask = fresh;
	if (fresh >= 0 && news_add(&k->news, fresh, POLLIN | POLLHUP) != 0)
		give_way(k);
}

static void
read_desk(struct keeper *k, struct desk *desk)
{
	char block[512];
	ssize_t n;
	int reads = 0;

	while ((n = read(desk->ask, block, sizeof block)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			take_byte(k, desk, block[i]);
		if (++reads == READS)
			return;
	}
	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			give_way(k);
		return;
	}
	desk->used = 0;
	if (desk->lent) /* its job has ended, or has closed K.ask */
		take_back(k, desk, 0);
	forget_writer(k, desk);
}

/* A connection that ends while nobody uses it is parted with. */
static void
reap_connections(struct keeper *k)
{
	struct connection *c;
	pid_t pid;

	while ((pid = child_ended()) > 0) {
		for (c = k->all; c != NULL && c->child.pid != pid; c = c->next)
			;
		if (c == NULL) {
			waitpid(pid, NULL, 0); /* a child of who became us */
			continue;
		}
		child_reap(&c->child);
		for (struct desk *desk = k->desks; desk < k->desks + k->count; desk++)
			if (desk->c == c && !desk->lent)
				part_with(k, desk, 0);
	}
}

/* Does what is due, such as to close connections that were unused for too long; how long until
   something will be, or -1. */
static long long
wait_ms(struct keeper *k)
{
	struct connection **link = &k->all, *c;
	long long wait = k->all == NULL ? -1 : LOOK, idle;

	for (struct desk *desk = k->desks; desk < k->desks + k->count; desk++) {
		if (desk->lent || desk->c == NULL || (!k->refusing && k->idle < 0))
			continue;
		if ((idle = k->refusing ? 0 : clock_wait_ms(desk->c->idle + k->idle)) == 0)
			part_with(k, desk, 0);
		else
			wait = clock_sooner(wait, idle);
	}
	while ((c = *link) != NULL) {
		child_wait_ms(&c->child, k->grace);
		if (c->child.pid > 0 && c->child.stage != CHILD_LIVES)
			wait = clock_sooner(wait, SOON);
		if (c->child.pid > 0 || c->child.stage == CHILD_LIVES) {
			link = &c->next;
		} else {
			*link = c->next;
			free(c);
		}
	}
	return wait;
}

/* A job that has opened K.ask may be about to open K.say, and would wait there for a writer. But
   a process that a job left behind may keep K.ask open: we wait for LONGEST ms at most. */
static int
somebody_asks(struct keeper *k)
{
	int some = 0;

	for (struct desk *desk = k->desks; desk < k->desks + k->count; desk++) {
		if (desk->ask >= 0)
			read_desk(k, desk);
		some |= desk->ask >= 0;
	}
	return some && clock_wait_ms(k->until) > 0;
}

static void
take_news(struct keeper *k)
{
	struct desk *desk;
	short events;
	int fd;

	reap_connections(k);
	while (news_next(&k->news, &fd, &events)) {
		if (fd == k->inlet) { /* the dispenser has ended: nobody else comes */
			news_drop(&k->news, &k->inlet);
			k->until = clock_now() + LONGEST;
			for (long i = 1; i <= k->count; i++)
				unlink_both(k, i, "say", "ask");
			k->refusing = 1;
		}
		for (desk = k->desks; desk < k->desks + k->count && desk->ask != fd; desk++)
			;
		if (desk < k->desks + k->count)
			read_desk(k, desk);
	}
}

void
keeper_run(struct keeper *k)
{
	long long wait;

	for (;;) {
		wait = wait_ms(k);
		if (k->inlet < 0 && k->all == NULL) {
			if (!somebody_asks(k))
				break;
			wait = clock_sooner(wait, clock_wait_ms(k->until));
		}
		if (news_wait(&k->news, wait > INT_MAX ? INT_MAX : (int)wait) != 0)
			give_way(k);
		take_news(k);
	}
	news_close(&k->news);
	free(k->desks);
}
