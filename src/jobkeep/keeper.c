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

#include "../lib/clock.h"
#include "../lib/complain.h"
#include "../lib/status.h"
#include "connection.h"
#include "keeper.h"

enum {
	WORD = 64,         /* bytes of a line that a job may write */
	READS = 100,       /* of one FIFO in a row, which has more */
	FIRST = 100,       /* ms of pause after the first failure; then twice as long */
	LONGEST = 5000,    /* ms, and no longer; nor is anybody waited for at the end */
	AGAIN = 100,       /* ms until the batch is told once more */
	TRIES = 3,         /* to tell ourselves of a child */
	CANNOT_RUN = 126,  /* statuses of those who could not exec */
	NOT_FOUND = 127
};

struct slot {
	long number;          /* 1.. */
	int ask;              /* read end: requests */
	int say, say_read;    /* both ends: answers */
	char line[WORD];      /* what was read of a line so far */
	size_t used;          /* WORD: it is too long */
	char who[WORD];       /* whose request is the last */
	enum { FREE, WAITING, LENT } state;
	struct connection *c; /* or NULL */
};

/* For the signal handler: the write end of the pipe. */
static int child_ended = -1;

static void
on_child(int sig)
{
	int saved = errno, tries = 0;

	(void)sig;
	while (write(child_ended, "", 1) < 0 && ++tries < TRIES)
		; /* full: it will be read */
	errno = saved;
}

static int
watch_children(struct keeper *k)
{
	struct sigaction action = {0};
	int ends[2], i;

	if (pipe(ends) != 0)
		return -1;
	for (i = 0; i < 2; i++)
		if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0 || fcntl(ends[i], F_SETFL, O_NONBLOCK) != 0)
			return -1;
	k->children = ends[0];
	child_ended = ends[1];
	action.sa_handler = on_child;
	action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
	sigemptyset(&action.sa_mask);
	return sigaction(SIGCHLD, &action, NULL);
}

/* Without a writer: so that it says nothing before one has come and gone. */
static int
open_ask(const struct keeper *k, const struct slot *slot)
{
	char name[CONNECTION_NAME];

	snprintf(name, sizeof name, "%ld.ask", slot->number);
	return openat(k->dir, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
}

static int
open_slot(struct keeper *k, struct slot *slot)
{
	char name[CONNECTION_NAME];

	snprintf(name, sizeof name, "%ld.say", slot->number);
	if (mkfifoat(k->dir, name, 0600) != 0 && errno != EEXIST)
		return -1;
	slot->say_read = openat(k->dir, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	slot->say = openat(k->dir, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	snprintf(name, sizeof name, "%ld.ask", slot->number);
	if (mkfifoat(k->dir, name, 0600) != 0 && errno != EEXIST)
		return -1;
	slot->ask = open_ask(k, slot);
	if (slot->say < 0 || slot->ask < 0)
		return -1;
	return news_add(&k->news, slot->ask, POLLIN | POLLHUP);
}

int
keeper_open(struct keeper *k)
{
	long i;

	k->slots = calloc((size_t)k->count, sizeof *k->slots);
	if (k->slots != NULL && watch_children(k) == 0 && news_open(&k->news) == 0 &&
	    news_add(&k->news, k->children, POLLIN) == 0 && news_add(&k->news, k->inlet, POLLERR) == 0) {
		for (i = 0; i < k->count; i++) {
			k->slots[i].number = i + 1;
			if (open_slot(k, k->slots + i) != 0)
				break;
		}
		if (i == k->count)
			return 0;
	}
	complain("%s:", *k->command);
	return -1;
}

/* An answer to somebody who has died is still there. There is room for one, then: when it
   cannot be written, only the next keeper can help. */
static void
answer(struct keeper *k, const struct slot *slot, const char *what, long number, long uses)
{
	char text[WORD * 3];
	int i = 0, n = snprintf(text, sizeof text, "%s %s %ld %ld\n", slot->who, what, number, uses);
	char old[512];

	while (read(slot->say_read, old, sizeof old) > 0 && ++i < READS)
		;
	while (write(slot->say, text, (size_t)n) < 0)
		if (errno != EINTR) {
			k->broken = errno;
			return;
		}
}

static void
refuse(struct keeper *k, struct slot *slot)
{
	slot->state = FREE;
	answer(k, slot, "refused", 0, 0);
}

static void
refuse_all(struct keeper *k)
{
	struct slot *slot;

	k->refusing = 1;
	for (slot = k->slots; slot < k->slots + k->count; slot++)
		if (slot->state == WAITING)
			refuse(k, slot);
}

/* The batch starts no more jobs then. */
static void
tell(struct keeper *k)
{
	static const char line[] = "fail 123\n";

	if (k->untold && (write(k->tell, line, sizeof line - 1) > 0 || (errno != EAGAIN && errno != EINTR)))
		k->untold = 0;
}

static void
give_up(struct keeper *k)
{
	refuse_all(k);
	k->untold = k->tell >= 0;
	tell(k);
}

/* A connection could not be had, or ended before a job was done with it. */
static void
failed(struct keeper *k)
{
	long long pause = k->failures < 16 ? (long long)FIRST << k->failures : LONGEST;

	k->gate = clock_now() + (pause < LONGEST ? pause : LONGEST);
	if (++k->failures < k->limit || k->refusing)
		return;
	complain("%s: %ld connections in a row ended before a job was done; no more are opened", *k->command,
	    k->failures);
	give_up(k);
}

static void
ended_by_itself(struct keeper *k, int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

	complain("%s: a connection ended with status %d before a job was done", *k->command, code);
	if (code != CANNOT_RUN && code != NOT_FOUND)
		failed(k);
	else if (!k->refusing)
		give_up(k); /* the next one would say no more than this one has */
}

static struct connection *
open_connection(struct keeper *k)
{
	struct connection *c = connection_open(k->dir, k->number + 1, k->command);

	if (c != NULL) {
		k->number++;
		c->next = k->all;
		k->all = c;
		return c;
	}
	complain("%s:", *k->command);
	if (errno == ENOENT || errno == EACCES)
		give_up(k);
	else
		failed(k);
	return NULL;
}

static void
part(struct keeper *k, struct slot *slot, int hurry)
{
	connection_end(slot->c, hurry, k->grace);
	slot->c = NULL;
}

/* Somebody waits. What has come to be read since the last job is no answer for the
   next: such a connection is closed, but a new one may greet. */
static void
lend(struct keeper *k, struct slot *slot)
{
	if (slot->c != NULL && slot->c->uses > 0 && !connection_quiet(slot->c))
		part(k, slot, 0);
	if (k->refusing) {
		refuse(k, slot);
		return;
	}
	if (slot->c == NULL) {
		if (k->failures > 0 && clock_left(k->gate) > 0)
			return;
		k->gate = clock_now() + FIRST; /* after a failure, one at a time */
		slot->c = open_connection(k);
	} else if (connection_lend(slot->c) != 0) {
		complain("slot %ld:", slot->number);
		part(k, slot, 0);
	}
	if (slot->c == NULL) {
		if (slot->state == WAITING)
			refuse(k, slot);
		return;
	}
	slot->state = LENT;
	answer(k, slot, "ready", slot->c->number, slot->c->uses);
}

/* A job is done with its connection, or has died, or failed. */
static void
take_back(struct keeper *k, struct slot *slot, int good)
{
	struct connection *c = slot->c;

	slot->state = FREE;
	connection_taken(c);
	if (!good) {
		c->failed = c->uses == 0 && connection_mute(c);
		part(k, slot, 1);
		if (c->failed && c->pid == 0)
			ended_by_itself(k, c->status); /* else this is found when it is waited for */
		return;
	}
	k->failures = 0;
	c->uses++;
	c->due = clock_now();
	if (c->pid == 0 || c->uses == k->uses || k->refusing || !connection_quiet(c))
		part(k, slot, 0);
}

/* The last one who asked is no more, or has no more to ask. */
static void
leave(struct keeper *k, struct slot *slot)
{
	if (slot->state == LENT)
		take_back(k, slot, 0);
	slot->state = FREE;
}

/* "get WHO", "+ WHO" or "ok WHO"; anything else is nobody's. */
static void
hear(struct keeper *k, struct slot *slot)
{
	char *who = strchr(slot->line, ' ');

	if (who == NULL || who[1] == '\0' || strchr(who + 1, ' ') != NULL)
		return;
	*who++ = '\0';
	if (strcmp(slot->line, "get") == 0) {
		leave(k, slot);
		strcpy(slot->who, who);
		slot->state = WAITING;
		lend(k, slot);
	} else if (slot->state == LENT && strcmp(slot->who, who) == 0) {
		if (strcmp(slot->line, "+") == 0)
			connection_taken(slot->c);
		else if (strcmp(slot->line, "ok") == 0)
			take_back(k, slot, 1);
	}
}

static void
take_byte(struct keeper *k, struct slot *slot, char byte)
{
	if (byte != '\n') {
		if (slot->used < WORD - 1 && byte > ' ' - 1 && byte < 127)
			slot->line[slot->used++] = byte;
		else
			slot->used = WORD;
		return;
	}
	if (slot->used < WORD) {
		slot->line[slot->used] = '\0';
		hear(k, slot);
	}
	slot->used = 0;
}

/* Opened before the old one is closed: so whoever opens the FIFO to write never
   waits, and never writes to nobody. When the batch has ended nobody will come. */
static int
forget_writer(struct keeper *k, struct slot *slot)
{
	int fresh = open_ask(k, slot);

	if (fresh < 0 && errno != ENOENT)
		return -1;
	news_remove(&k->news, slot->ask);
	close(slot->ask);
	slot->ask = fresh;
	return fresh < 0 ? 0 : news_add(&k->news, fresh, POLLIN | POLLHUP);
}

static int
read_slot(struct keeper *k, struct slot *slot)
{
	char block[512];
	ssize_t n, i;
	int reads = 0;

	while ((n = read(slot->ask, block, sizeof block)) > 0) {
		for (i = 0; i < n; i++)
			take_byte(k, slot, block[i]);
		if (++reads == READS)
			return 0;
	}
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	slot->used = 0;
	leave(k, slot);
	return forget_writer(k, slot);
}

/* Which of our children it is, is known before it is waited for. */
static void
reap(struct keeper *k)
{
	char block[64];
	siginfo_t info;
	struct connection *c;
	struct slot *slot;

	while (read(k->children, block, sizeof block) > 0)
		;
	for (;;) {
		info.si_pid = 0;
		while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
			if (errno != EINTR)
				return;
		if (info.si_pid == 0)
			return;
		for (c = k->all; c != NULL && c->pid != info.si_pid; c = c->next)
			;
		if (c == NULL) {
			waitpid(info.si_pid, NULL, 0); /* of whoever became us */
			continue;
		}
		connection_died(c);
		if (c->failed)
			ended_by_itself(k, c->status);
		for (slot = k->slots; c->stage == 0 && slot < k->slots + k->count; slot++)
			if (slot->c == c && slot->state != LENT)
				part(k, slot, 0); /* while nobody used it */
	}
}

/* Who is to end, does; who waits for the pause to be over, is served; and how long
   until there is more of that. */
static long long
look(struct keeper *k)
{
	struct connection **link = &k->all, *c;
	struct slot *slot;
	long long wait = k->untold ? AGAIN : -1;

	tell(k);
	for (slot = k->slots; slot < k->slots + k->count; slot++) {
		if (slot->state == WAITING)
			lend(k, slot);
		if (slot->state == WAITING)
			wait = clock_sooner(wait, clock_left(k->gate));
		if (slot->state != FREE || slot->c == NULL)
			continue;
		if (k->refusing || (k->idle >= 0 && clock_left(slot->c->due + k->idle) == 0))
			part(k, slot, 0);
		else if (k->idle >= 0)
			wait = clock_sooner(wait, clock_left(slot->c->due + k->idle));
	}
	while ((c = *link) != NULL) {
		if (connection_look(c, &wait) || c->stage == 0) {
			link = &c->next;
		} else {
			*link = c->next;
			connection_free(c);
		}
	}
	return wait;
}

static void
dispenser_ended(struct keeper *k)
{
	char name[CONNECTION_NAME];
	long i;

	news_remove(&k->news, k->inlet);
	close(k->inlet);
	k->inlet = -1;
	k->until = clock_now() + LONGEST;
	for (i = 1; i <= k->count; i++) { /* nobody else comes */
		snprintf(name, sizeof name, "%ld.say", i);
		unlinkat(k->dir, name, 0);
		snprintf(name, sizeof name, "%ld.ask", i);
		unlinkat(k->dir, name, 0);
	}
	refuse_all(k);
}

/* A job that has opened K.ask may be about to open K.say, which would wait for a writer. What
   a job has left behind may have K.ask for long, and is not waited for as long. */
static int
somebody_asks(struct keeper *k)
{
	struct slot *slot;
	int some = 0;

	for (slot = k->slots; slot < k->slots + k->count; slot++)
		if (slot->ask >= 0 && read_slot(k, slot) == 0 && slot->ask >= 0)
			some = 1;
	return some && clock_left(k->until) > 0;
}

static int
take_news(struct keeper *k)
{
	struct slot *slot;
	short events;
	int fd;

	while (news_next(&k->news, &fd, &events)) {
		if (fd == k->children) {
			reap(k);
		} else if (fd == k->inlet) {
			dispenser_ended(k);
		} else {
			for (slot = k->slots; slot < k->slots + k->count && slot->ask != fd; slot++)
				;
			if (slot < k->slots + k->count && read_slot(k, slot) != 0)
				return -1;
		}
	}
	return 0;
}

int
keeper_run(struct keeper *k)
{
	long long wait;

	for (;;) {
		wait = look(k);
		if (k->inlet < 0 && k->all == NULL) {
			if (!somebody_asks(k))
				return 0;
			wait = clock_sooner(wait, clock_left(k->until));
		}
		if (k->broken != 0 || news_wait(&k->news, wait > INT_MAX ? INT_MAX : (int)wait) != 0 ||
		    take_news(k) != 0)
			break;
	}
	if (k->broken != 0)
		errno = k->broken;
	complain("%s:", *k->command);
	return -1;
}
